//! The attributes of `mcp-server`.

use proc_macro::TokenStream;

mod attributes;
mod check;
mod docs;
mod errors;
mod expand;
mod model;
mod options;
mod read;

/// Makes a function a tool.
#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    attributes::tool(attr.into(), item.into()).into()
}

/// Makes the marked methods of an `impl` block tools.
#[proc_macro_attribute]
pub fn server(attr: TokenStream, item: TokenStream) -> TokenStream {
    attributes::server(attr.into(), item.into()).into()
}
