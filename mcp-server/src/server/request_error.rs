//! Why a resource, a prompt, a completer or a method of an extension gives no result.

use std::any::Any;
use std::error::Error;
use std::fmt;

use super::handler::Target;
use super::result::ToolError;
use crate::protocol::ErrorObject;

/// Why a resource can't be read, a prompt can't be given, an argument can't be completed, or a method of an extension
/// gives no result: the client gets it as an error with a code.
///
/// Every `std::error::Error` becomes one by `?`, as an internal error with its words; an [`ErrorObject`] stays as it is.
///
/// ```
/// use mcp_server::RequestError;
///
/// fn page(number: &str) -> Result<u32, RequestError> {
///     let number: u32 = number.parse()?;
///     if number > 9 {
///         return Err(RequestError::not_found());
///     }
///     Ok(number)
/// }
///
/// assert_eq!(page("x").unwrap_err().to_string(), "invalid digit found in string");
/// assert_eq!(page("10").unwrap_err().to_string(), "not found");
/// ```
#[derive(Clone, PartialEq)]
pub struct RequestError(Kind);

#[derive(Clone, PartialEq)]
enum Kind {
    NotFound,
    Other(ErrorObject),
}

impl RequestError {
    /// There is no such resource.
    pub fn not_found() -> Self {
        Self(Kind::NotFound)
    }

    /// The request makes no sense, which the client can mend.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self(Kind::Other(ErrorObject::invalid_params(message)))
    }

    /// A fault of the server, in words for the developer of the client.
    pub fn internal(message: impl Into<String>) -> Self {
        Self(Kind::Other(ErrorObject::internal(message)))
    }

    /// What the client gets.
    pub(crate) fn into_object(self, target: &Target) -> ErrorObject {
        match (self.0, target) {
            (Kind::Other(error), _) => error,
            (Kind::NotFound, Target::Resource(read)) => ErrorObject::resource_not_found(&read.asked, read.version),
            (Kind::NotFound, _) => ErrorObject::invalid_params("not found"),
        }
    }
}

impl<E: Error + 'static> From<E> for RequestError {
    fn from(error: E) -> Self {
        match (&error as &dyn Any).downcast_ref::<ErrorObject>() {
            Some(object) => Self(Kind::Other(object.clone())),
            None => Self::internal(ToolError::from(error).to_string()),
        }
    }
}

impl From<ToolError> for RequestError {
    fn from(error: ToolError) -> Self {
        Self::internal(error.to_string())
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::NotFound => f.write_str("not found"),
            Kind::Other(error) => f.write_str(&error.message),
        }
    }
}

impl fmt::Debug for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestError").field(&self.to_string()).finish()
    }
}
