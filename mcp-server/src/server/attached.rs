//! How a function carries what it is: an `async fn` in the type of its future, a plain `fn` by a struct of its name.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::prompt::Prompt;
use super::resource::Resource;
use super::tool::Tool;

/// One thing that a server offers.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Offer {
    /// A tool.
    Tool(Tool),
    /// A resource, or a template of resources.
    Resource(Resource),
    /// A prompt.
    Prompt(Prompt),
}

/// A type with tools, resources or prompts, as [`Server::with`](crate::Server::with) takes it: `#[server]` implements
/// it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools, resources or prompts",
    label = "not a type with `#[server]`",
    note = "put `#[server]` on an `impl` block of the type, and `#[tool]`, `#[resource(\"…\")]` or `#[prompt]` on methods",
    note = "a block with `part = name` is offered by another one of the type, with `#[server(parts = [name])]`",
    note = "a function with `#[tool]` is added by `.tool(…)`, and a value as it is: `.with(shop)`, without an `Arc`"
)]
pub trait ServerBlock: Send + Sync + Sized + 'static {
    /// What is offered, in the order of the methods.
    #[doc(hidden)]
    fn offers(self: Arc<Self>) -> Vec<Offer>;
}

pin_project_lite::pin_project! {
    /// A future with the handler that it belongs to.
    #[doc(hidden)]
    #[derive(Debug)]
    pub struct Tagged<H, F> {
        #[pin]
        future: F,
        handler: PhantomData<fn() -> H>,
    }
}

/// Adds its handler to the future of a function.
#[doc(hidden)]
pub fn tagged<H, F: Future>(future: F) -> Tagged<H, F> {
    Tagged { future, handler: PhantomData }
}

impl<H, F: Future> Future for Tagged<H, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().future.poll(cx)
    }
}

/// The marker of plain functions.
#[doc(hidden)]
#[derive(Debug)]
pub enum Plain {}

/// Writes the traits that lead from a function to what it is.
macro_rules! attached {
    (
        $(#[$of_future:meta])*
        $Future:ident, $Handler:ident, $describe:ident -> $Thing:ident;
        $(#[$of_into:meta])*
        $Into:ident, $into:ident
    ) => {
        $(#[$of_future])*
        #[must_use = "futures do nothing unless you `.await` or poll them"]
        pub trait $Future: std::future::Future {
            /// What the function is.
            #[doc(hidden)]
            type Handler: $Handler;
        }

        /// Describes what a function is: written by its attribute.
        #[doc(hidden)]
        pub trait $Handler {
            /// What it is.
            fn $describe() -> $Thing;
        }

        impl<H: $Handler, F: std::future::Future> $Future for $crate::server::attached::Tagged<H, F> {
            type Handler = H;
        }

        $(#[$of_into])*
        pub trait $Into<M> {
            /// What is added.
            fn $into(self) -> $Thing;
        }

        #[diagnostic::do_not_recommend]
        impl $Into<()> for $Thing {
            fn $into(self) -> $Thing {
                self
            }
        }

        #[diagnostic::do_not_recommend]
        impl<H: $Handler> $Into<$crate::server::attached::Plain> for H {
            fn $into(self) -> $Thing {
                H::$describe()
            }
        }

        $crate::server::attached::functions! { $Future, $Handler, $describe -> $Thing, $Into, $into;
            A B C D E G H I J K L M N O P Q
        }
    };
}

/// One implementation for each number of parameters.
macro_rules! functions {
    ($Future:ident, $Handler:ident, $describe:ident -> $Thing:ident, $Into:ident, $into:ident;) => {
        $crate::server::attached::functions! { @ $Future, $Handler, $describe -> $Thing, $Into, $into; }
    };
    ($Future:ident, $Handler:ident, $describe:ident -> $Thing:ident, $Into:ident, $into:ident;
     $first:ident $($parameter:ident)*) => {
        $crate::server::attached::functions! { @ $Future, $Handler, $describe -> $Thing, $Into, $into;
            $first $($parameter)*
        }
        $crate::server::attached::functions! { $Future, $Handler, $describe -> $Thing, $Into, $into; $($parameter)* }
    };
    (@ $Future:ident, $Handler:ident, $describe:ident -> $Thing:ident, $Into:ident, $into:ident;
     $($parameter:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<F, R, $($parameter),*> $Into<fn($($parameter),*)> for F
        where
            F: Fn($($parameter),*) -> R,
            R: $Future,
        {
            fn $into(self) -> $Thing {
                <R::Handler as $Handler>::$describe()
            }
        }
    };
}

pub(crate) use {attached, functions};
