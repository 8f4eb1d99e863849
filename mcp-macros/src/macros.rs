//! The attributes as functions from tokens to tokens: read, check, expand.

use proc_macro2::TokenStream;
use quote::quote;

use crate::check::{self, Place};
use crate::errors::Errors;
use crate::model::{Library, Tool, is_tool};
use crate::{attributes, expand, options, read, stand_in};

/// `#[tool]`, on a function that stands alone.
pub(crate) fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut options = options::tool(attr, &mut errors);
    let library = options.library.take().map_or(Library(None), |(_, library)| library);
    let Some(mut function) = read::function(item.clone(), &mut errors) else {
        let item = read::without_tools(item);
        return quote!(#errors #item);
    };
    if let Some(attr) = function.attrs.iter().find(|attr| is_tool(attr)) {
        errors.at(attr, "`#[tool]` stands here twice");
    }
    let tool = read::tool(&function, options, &mut errors);
    check::name(&tool.name, &mut errors);
    let is_callable = check::function(&function, &tool, Place::Alone, &mut errors);
    function.strip();
    if errors.is_empty() {
        expand::function(&tool, &function, &library)
    } else {
        stand_in::function(&tool, function, is_callable, &library, &errors)
    }
}

/// `#[server]`, on an `impl` block.
pub(crate) fn server(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let library = options::server(attr, &mut errors);
    let Some(mut block) = read::block(item.clone(), &mut errors) else {
        let item = read::without_tools(item);
        return quote!(#errors #item);
    };
    let mut tools: Vec<Tool> = Vec::new();
    for function in block.tools() {
        let mut options = read::method_options(function, &mut errors);
        if let Some((option, _)) = options.library.take() {
            errors.at(option, "`crate` belongs to the block: `#[server(crate = …)]`");
        }
        let tool = read::tool(function, options, &mut errors);
        check::name(&tool.name, &mut errors);
        check::function(function, &tool, Place::Server, &mut errors);
        tools.push(tool);
    }
    check::block(&block, &tools, &mut errors);
    for function in block.tools_mut() {
        let lints = attributes::lints(function);
        function.strip();
        function.attrs.splice(0..0, lints);
    }
    if errors.is_empty() {
        expand::server(&block, &tools, &library)
    } else {
        stand_in::server(block, &library, &errors)
    }
}
