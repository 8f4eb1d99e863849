//! Servers within a server.

use std::sync::Arc;

use super::Server;
use super::changes::Change;
use super::state::Scope;
use super::uri_template::prefixed;

impl Server {
    /// Offers all that another server offers: its tools and prompts as `prefix_name`, its resources with the prefix as
    /// the first segment of their path.
    ///
    /// What the other server is given with [`state`](Server::state), [`lifespan`](Server::lifespan),
    /// [`layer`](Server::layer), [`logging`](Server::logging) and [`cache`](Server::cache) stays with what it offers;
    /// states that it does not have are those of this server. Its layers stand inside of those of this server, and see
    /// requests as the client has sent them. Its extensions are added to those of this server. Limits, keys, and what
    /// a server says about itself are those of this server alone.
    ///
    /// Its functions notice nothing of it: they are given the addresses that they were written for, and the addresses
    /// of resources of theirs that they give, alone or in contents, reach the client with the prefix. What a
    /// [`handle`](Server::handle) of the other server changes changes here as well.
    ///
    /// ```
    /// use mcp_server::Resource;
    /// use mcp_server::prelude::*;
    ///
    /// /// Order something.
    /// #[tool]
    /// async fn order(sku: String) -> String {
    ///     format!("ordered {sku}")
    /// }
    ///
    /// let about = Resource::builder("shop://about").read(|(), _ctx: Context| async { "a shop" });
    /// let shop = Server::new("shop").tool(order).resource(about);
    ///
    /// // Offers the tool `eu_order` and the resource `shop://eu/about`.
    /// let server = Server::new("market").mount("eu", shop);
    /// ```
    ///
    /// # Panics
    ///
    /// When the prefix is not of `A-Z a-z 0-9 -` alone (a `_` ends it), when a name gets longer than 128 characters or
    /// is there already, or when both servers have an extension of the same name with methods.
    #[must_use]
    #[track_caller]
    pub fn mount(mut self, prefix: &str, mut other: Self) -> Self {
        let is_prefix = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        assert!(is_prefix, "`{prefix}` can't be a prefix: it is 1 or more characters of A-Z a-z 0-9 -");
        let states = Arc::new(std::mem::take(&mut other.states));
        self.add_lifespans_of(&mut other, &states);
        let scope = Scope {
            prefix: prefix.into(),
            catalog: Arc::downgrade(&other.catalog),
            states,
            layers: other.layers,
            logging: other.logging,
            caching: other.caching,
            parent: None,
        };
        if let Err(fault) = self.catalog.mount(&other.catalog, Arc::new(scope)) {
            panic!("the server `{}` can't be mounted at `{prefix}`: {fault}", other.info.name);
        }
        self.mounted_logging |= other.logging || other.mounted_logging;
        self.extensions.add_all(other.extensions);
        self
    }
}

impl Change {
    /// The same as the server around a mounted one tells it.
    pub(crate) fn within(&self, scope: &Scope) -> Self {
        match self {
            Self::Resource(uri) => Self::Resource(prefixed(uri, &scope.prefix)),
            other => other.clone(),
        }
    }
}
