//! What the macros write: for each `expand/NAME.in.rs` the formatted expansion stands in `expand/NAME.rs`.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p tests --test expand` writes the expansions anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Item, Meta};

// The macros need nothing of a compiler that runs, so that their modules can be taken as they are.
#[path = "../mcp-macros/src/attributes.rs"]
mod attributes;
#[path = "../mcp-macros/src/check.rs"]
mod check;
#[path = "../mcp-macros/src/docs.rs"]
mod docs;
#[path = "../mcp-macros/src/errors.rs"]
mod errors;
#[path = "../mcp-macros/src/expand.rs"]
mod expand;
#[path = "../mcp-macros/src/macros.rs"]
mod macros;
#[path = "../mcp-macros/src/model.rs"]
mod model;
#[path = "../mcp-macros/src/options.rs"]
mod options;
#[path = "../mcp-macros/src/read.rs"]
mod read;
#[path = "../mcp-macros/src/stand_in.rs"]
mod stand_in;
#[path = "../mcp-macros/src/uri_template.rs"]
mod uri_template;

#[test]
fn expansions_are_as_recorded() {
    let mut changed = Vec::new();
    for name in names(".in.rs") {
        let input = fs::read_to_string(path(&name, "in.rs")).unwrap();
        let expanded = expand_file(&input).unwrap_or_else(|error| panic!("{name}.in.rs: {error}"));
        let recorded = fs::read_to_string(path(&name, "rs")).unwrap_or_default();
        if expanded == recorded {
            continue;
        }
        if env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(path(&name, "rs"), &expanded).unwrap();
        } else {
            changed.push(format!("{name}.rs: {}", difference(&recorded, &expanded)));
        }
    }
    assert!(changed.is_empty(), "{}\nUPDATE_SNAPSHOTS=1 takes the new expansions", changed.join("\n"));
}

#[test]
fn each_expansion_has_its_input() {
    let inputs = names(".in.rs");
    let expansions: BTreeSet<String> = names(".rs").into_iter().filter(|name| !name.ends_with(".in")).collect();
    assert_eq!(inputs, expansions);
}

/// The files that end like this, without the ending.
fn names(ending: &str) -> BTreeSet<String> {
    fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(ending)?.to_owned()))
        .collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("expand")
}

fn path(name: &str, ending: &str) -> PathBuf {
    folder().join(format!("{name}.{ending}"))
}

/// Expands the marked items of a file, as the compiler would, and formats the whole.
fn expand_file(input: &str) -> syn::Result<String> {
    let file = syn::parse_file(input)?;
    let expanded: TokenStream = file.items.into_iter().map(expand_item).collect();
    syn::parse2(quote!(#expanded)).map(|file| prettyplease::unparse(&file))
}

fn expand_item(mut item: Item) -> TokenStream {
    let attrs: &mut Vec<Attribute> = match &mut item {
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        _ => return item.into_token_stream(),
    };
    let is_server = |attr: &Attribute| attr.path().is_ident("server");
    let Some(index) = attrs.iter().position(|attr| model::kind(attr).is_some() || is_server(attr)) else {
        return item.into_token_stream();
    };
    let attr = attrs.remove(index);
    let arguments = match &attr.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let item = item.into_token_stream();
    match model::kind(&attr) {
        Some(kind) => macros::function(kind, arguments, item),
        None => macros::server(arguments, item),
    }
}

/// The first line in which two texts differ.
fn difference(recorded: &str, expanded: &str) -> String {
    let mut recorded = recorded.lines();
    for (index, line) in expanded.lines().enumerate() {
        let before = recorded.next().unwrap_or("");
        if line != before {
            return format!("line {}\n  was {before}\n  is  {line}", index + 1);
        }
    }
    "lines are missing at the end".to_owned()
}
