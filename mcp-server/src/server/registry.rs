//! What a server has of one kind: found by its key, listed from bytes that are made once for each revision, and
//! changed while it is served.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::panic::Location;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::protocol::{ErrorObject, ProtocolVersion};

/// What can stand in a [`Registry`]: a tool, a resource, a template or a prompt. Clones are cheap.
pub(crate) trait Item: Clone {
    /// What one is called: `tool`.
    const NOUN: &'static str;
    /// The member of the result that lists them: `tools`.
    const LIST: &'static str;

    /// How its keys are spread in a table.
    type Hash: BuildHasher + Clone + Default;

    /// What it is found by.
    fn key(&self) -> &Cow<'static, str>;

    /// Where the author wrote it.
    fn location(&self) -> &'static Location<'static>;

    /// Why it can't be listed, if it can't.
    fn fault(&self) -> Option<String>;

    /// Appends it with the members that a revision knows.
    fn write(&self, out: &mut Vec<u8>, version: ProtocolVersion);
}

/// All items of one kind, in the order in which they were added.
///
/// Whoever reads gets the shelf as it is at that moment, and is not held up by a change.
#[derive(Debug)]
pub(crate) struct Registry<I: Item> {
    shelf: RwLock<Arc<Shelf<I>>>,
}

/// The items at one moment.
pub(crate) struct Shelf<I: Item> {
    entries: Vec<Entry<I>>,
    by_key: HashMap<Cow<'static, str>, usize, I::Hash>,
    /// Whether there ever was an item: a kind that was announced stays announced.
    announced: bool,
    /// The pages of the list, for each revision: the members of the result.
    pages: [OnceLock<Vec<Arc<[u8]>>>; ProtocolVersion::ALL.len()],
}

#[derive(Clone)]
struct Entry<I> {
    item: I,
    enabled: bool,
}

/// A quick hash for names that the author alone has chosen: whoever could choose them could make them all alike.
#[derive(Debug, Default)]
pub(crate) struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        let word = |bytes: &[u8]| bytes.iter().rfold(0, |word, byte| word << 8 | u64::from(*byte));
        for bytes in &mut words {
            self.add(word(bytes));
        }
        self.add(word(words.remainder()));
    }

    fn write_u8(&mut self, byte: u8) {
        self.add(byte.into());
    }

    fn finish(&self) -> u64 {
        // The table looks at the lowest and at the highest bits.
        self.0 ^ self.0 >> 32
    }
}

impl NameHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl<I: Item> Default for Registry<I> {
    fn default() -> Self {
        Self { shelf: RwLock::default() }
    }
}

impl<I: Item> Default for Shelf<I> {
    fn default() -> Self {
        Self { entries: Vec::new(), by_key: HashMap::default(), announced: false, pages: Default::default() }
    }
}

impl<I: Item> Clone for Shelf<I> {
    /// The pages are not cloned: a shelf is cloned to be changed.
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            by_key: self.by_key.clone(),
            announced: self.announced,
            pages: Default::default(),
        }
    }
}

impl<I: Item> fmt::Debug for Shelf<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.by_key.keys()).finish()
    }
}

impl<I: Item> Registry<I> {
    /// The items as they are now.
    pub(crate) fn shelf(&self) -> Arc<Shelf<I>> {
        Arc::clone(&self.shelf.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Shelf<I>) -> T) -> T {
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        let shelf = Arc::make_mut(&mut shelf);
        shelf.pages = Default::default();
        change(shelf)
    }

    /// # Errors
    ///
    /// When there is an item of that key already, or it can't be listed.
    pub(crate) fn add(&self, item: I) -> Result<(), String> {
        let (key, at) = (item.key().clone(), item.location());
        if let Some(fault) = item.fault() {
            return Err(format!("`{key}` at {at} {fault}"));
        }
        self.change(|shelf| {
            if let Some(first) = shelf.by_key.get(&key) {
                let first = shelf.entries[*first].item.location();
                return Err(format!("two {}s are named `{key}`: one at {first}, one at {at}", I::NOUN));
            }
            shelf.by_key.insert(key, shelf.entries.len());
            shelf.entries.push(Entry { item, enabled: true });
            shelf.announced = true;
            Ok(())
        })
    }

    /// Takes an item out. `false`: there is none of that key.
    pub(crate) fn remove(&self, key: &str) -> bool {
        self.change(|shelf| {
            let Some(index) = shelf.by_key.remove(key) else { return false };
            shelf.entries.remove(index);
            for other in shelf.by_key.values_mut().filter(|other| **other > index) {
                *other -= 1;
            }
            true
        })
    }

    /// Switches an item on or off. `None`: there is none of that key; `Some(false)`: it was so already.
    pub(crate) fn enable(&self, key: &str, enabled: bool) -> Option<bool> {
        // A switch that stands right already leaves the ready pages alone.
        let shelf = self.shelf();
        if shelf.entries[*shelf.by_key.get(key)?].enabled == enabled {
            return Some(false);
        }
        self.change(|shelf| {
            let index = *shelf.by_key.get(key)?;
            Some(std::mem::replace(&mut shelf.entries[index].enabled, enabled) != enabled)
        })
    }
}

impl<I: Item> Shelf<I> {
    /// Whether the kind is offered at all: there is or was one.
    pub(crate) fn is_announced(&self) -> bool {
        self.announced
    }

    /// The item of that key, unless it is switched off.
    pub(crate) fn get(&self, key: &str) -> Option<&I> {
        let entry = &self.entries[*self.by_key.get(key)?];
        entry.enabled.then_some(&entry.item)
    }

    /// Whether there is an item of that key, switched on or off.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }

    /// All that there are, and whether each is switched on.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&I, bool)> {
        self.entries.iter().map(|entry| (&entry.item, entry.enabled))
    }

    /// All that are switched on.
    pub(crate) fn items(&self) -> impl Iterator<Item = &I> + Clone {
        self.entries.iter().filter(|entry| entry.enabled).map(|entry| &entry.item)
    }

    /// The members of one page of the list.
    ///
    /// # Errors
    ///
    /// When the cursor is none that a page of ours has ended with.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        size: usize,
        version: ProtocolVersion,
    ) -> Result<Arc<[u8]>, ErrorObject> {
        let pages = self.pages[version.index()].get_or_init(|| {
            let items: Vec<&I> = self.items().collect();
            (0..pages_of(&items, size)).map(|at| write_page(&items, size, at, version)).collect()
        });
        page_at::<I>(cursor, pages.len()).map(|at| Arc::clone(&pages[at]))
    }

    /// The members of one page of a list that has some of the items only.
    ///
    /// # Errors
    ///
    /// When the cursor is none that a page of that list has ended with.
    pub(crate) fn page_of(
        &self,
        is_listed: impl Fn(&I) -> bool,
        cursor: Option<&str>,
        size: usize,
        version: ProtocolVersion,
    ) -> Result<Arc<[u8]>, ErrorObject> {
        let items: Vec<&I> = self.items().filter(|item| is_listed(item)).collect();
        let at = page_at::<I>(cursor, pages_of(&items, size))?;
        Ok(write_page(&items, size, at, version))
    }
}

/// A list without items has one page, an empty one.
fn pages_of<I>(items: &[&I], size: usize) -> usize {
    items.len().div_ceil(size.max(1)).max(1)
}

/// Which page of a list with so many a cursor stands for.
fn page_at<I: Item>(cursor: Option<&str>, pages: usize) -> Result<usize, ErrorObject> {
    let at = match cursor {
        None => Some(0),
        // Nothing is kept for a cursor: it says which page is next. `tools-+1` is not what we wrote.
        Some(cursor) => cursor
            .strip_prefix(I::LIST)
            .and_then(|at| at.strip_prefix('-'))
            .and_then(|at| at.parse().ok())
            .filter(|at| *at > 0 && cursor == format!("{}-{at}", I::LIST)),
    };
    at.filter(|at| *at < pages)
        .ok_or_else(|| ErrorObject::invalid_params("`params.cursor` is none that this list gave out"))
}

fn write_page<I: Item>(items: &[&I], size: usize, at: usize, version: ProtocolVersion) -> Arc<[u8]> {
    let mut page = format!(r#""{}":["#, I::LIST).into_bytes();
    let on_page = items.chunks(size.max(1)).nth(at).unwrap_or_default();
    for (index, item) in on_page.iter().enumerate() {
        if index > 0 {
            page.push(b',');
        }
        item.write(&mut page, version);
    }
    page.push(b']');
    let next = at + 1;
    if next < pages_of(items, size) {
        page.extend_from_slice(format!(r#","nextCursor":"{}-{next}""#, I::LIST).as_bytes());
    }
    page.into()
}
