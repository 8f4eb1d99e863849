//! What is on the wire, as plain data: one file a page of the specification, no I/O and no tasks.
//!
//! A message is decoded in two stages. `message` reads the envelope and leaves `params` and `result` as raw JSON;
//! then only the type that the method names is read. No untagged enum decides what a message is.

mod caching;
mod cancellation;
mod completion;
mod content;
mod discover;
mod elicitation;
mod error;
mod json;
#[cfg(feature = "client")]
mod lifecycle;
mod logging;
mod message;
mod meta;
mod older;
mod progress;
mod prompts;
mod resources;
mod roots;
mod sampling;
mod subscriptions;
mod tools;
mod version;

pub use caching::CacheScope;
pub use completion::Completion;
pub use content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceContents, ResourceLink, Role,
    TextContent,
};
pub use discover::{ClientCapabilities, DiscoverResult, Icon, Implementation, ServerCapabilities};
pub use elicitation::{ElicitAction, ElicitFormParams, ElicitResult, ElicitUrlParams};
pub use error::{ErrorCode, ErrorObject};
pub use logging::{LoggingLevel, UnknownLevel};
pub use message::RequestId;
pub use progress::{Progress, ProgressToken};
pub use prompts::{GetPromptResult, Prompt, PromptArgument, PromptMessage};
pub use resources::{ReadResourceResult, Resource, ResourceTemplate};
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences, SamplingContent,
    SamplingMessage, ToolChoice, ToolChoiceMode, ToolResultContent, ToolUseContent,
};
pub use subscriptions::SubscriptionFilter;
pub use tools::{CallToolResult, Tool, ToolAnnotations};
pub use version::ProtocolVersion;

pub(crate) use cancellation::CancelledParams;
pub(crate) use completion::{CompleteParams, Reference};
pub(crate) use content::{write_content, write_resource_contents};
pub(crate) use discover::write_implementation;
pub(crate) use error::clip;
pub(crate) use json::{RawJson, Scanner, write_string};
#[cfg(feature = "client")]
pub(crate) use lifecycle::{InitializeParams, InitializeResult};
pub(crate) use message::{Incoming, Malformed, Params, is_batch, read_batch, read_message, read_object, write_integer};
#[cfg(feature = "client")]
pub(crate) use message::{Text, integral};
pub(crate) use meta::{
    CLIENT_CAPABILITIES, CLIENT_INFO, Meta, PROTOCOL_VERSION, SERVER_INFO, SUBSCRIPTION_ID, fault_of_extension,
};
#[cfg(feature = "client")]
pub(crate) use meta::{LOG_LEVEL, PROGRESS_TOKEN, RESERVED_PREFIX, fault_of_key};
pub(crate) use progress::{Number, ProgressParams, write_progress_head};
pub(crate) use prompts::{write_prompt, write_prompt_message};
pub(crate) use resources::{write_resource, write_resource_template};
pub(crate) use sampling::{check as check_sampling, for_version as sampling_params};
#[cfg(feature = "client")]
pub(crate) use tools::present;
