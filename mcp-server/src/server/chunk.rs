//! What is written at a time: bytes of its own, and in between what is made once and shared by all who write it.

#[cfg(feature = "http")]
use std::collections::VecDeque;
use std::io::IoSlice;
use std::sync::Arc;

#[cfg(feature = "http")]
use bytes::Bytes;

/// Messages, or one of them, as bytes.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    own: Vec<u8>,
    /// What stands before a place of them, in the order of these places.
    inserts: Vec<Insert>,
}

/// Bytes that are shared, and not copied, and their place among the others.
#[derive(Debug)]
pub(crate) struct Insert {
    at: usize,
    bytes: Arc<[u8]>,
}

/// What has fewer bytes is copied: that costs less than a piece of its own.
const WORTH_SHARING: usize = 2 * 1024;

impl Insert {
    /// Appends the bytes, or tells where they belong.
    pub(crate) fn append(own: &mut Vec<u8>, bytes: &Arc<[u8]>) -> Option<Self> {
        if bytes.len() >= WORTH_SHARING {
            return Some(Self { at: own.len(), bytes: Arc::clone(bytes) });
        }
        own.extend_from_slice(bytes);
        None
    }

    /// Copies the bytes to where they belong.
    pub(crate) fn put_back(self, own: &mut Vec<u8>) {
        own.extend_from_slice(&self.bytes);
        own[self.at..].rotate_right(self.bytes.len());
    }
}

impl From<Vec<u8>> for Chunk {
    fn from(own: Vec<u8>) -> Self {
        Self { own, inserts: Vec::new() }
    }
}

impl Chunk {
    /// Bytes with what is shared among them.
    #[cfg(any(test, feature = "http"))]
    pub(crate) fn new(own: Vec<u8>, insert: Option<Insert>) -> Self {
        Self { own, inserts: insert.into_iter().collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.inserts.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.inserts.iter().fold(self.own.len(), |sum, insert| sum + insert.bytes.len())
    }

    /// Appends what `write` writes, with what may be shared in it. How many bytes these are.
    pub(crate) fn append(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Option<Insert>) -> usize {
        let before = self.own.len();
        let insert = write(&mut self.own);
        let own = self.own.len() - before;
        // Most messages share nothing.
        let Some(insert) = insert else { return own };
        let shared = insert.bytes.len();
        self.inserts.push(insert);
        own + shared
    }

    /// All of it, if nothing is shared.
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        self.inserts.is_empty().then_some(&self.own)
    }

    /// All of it, in one piece.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self.inserts.is_empty() {
            true => self.own,
            false => self.slices().concat(),
        }
    }

    fn slices(&self) -> Vec<&[u8]> {
        let mut slices = Vec::with_capacity(2 * self.inserts.len() + 1);
        let mut before = 0;
        for Insert { at, bytes } in &self.inserts {
            slices.push(&self.own[before..*at]);
            slices.push(bytes);
            before = *at;
        }
        slices.push(&self.own[before..]);
        slices
    }

    /// All of it, to be written in one go.
    pub(crate) fn io_slices(&self) -> Vec<IoSlice<'_>> {
        self.slices().into_iter().map(IoSlice::new).collect()
    }

    /// All of it, piece by piece.
    #[cfg(feature = "http")]
    pub(crate) fn into_pieces(self) -> VecDeque<Bytes> {
        let mut own = Bytes::from(self.own);
        let mut pieces = VecDeque::with_capacity(2 * self.inserts.len() + 1);
        let mut before = 0;
        for Insert { at, bytes } in self.inserts {
            pieces.push_back(own.split_to(at - before));
            pieces.push_back(Bytes::from_owner(bytes));
            before = at;
        }
        pieces.push_back(own);
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    /// Nothing is left in it; the memory of its own bytes is kept unless that is more than `kept` bytes.
    pub(crate) fn clear(&mut self, kept: usize) {
        self.inserts.clear();
        if self.own.capacity() > kept {
            self.own = Vec::new();
        }
        self.own.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two messages with something shared in each, at the beginning of one and at the end of the other.
    fn chunk() -> (Chunk, Vec<u8>) {
        let (long, other): (Arc<[u8]>, Arc<[u8]>) = (vec![b'a'; WORTH_SHARING].into(), vec![b'b'; 3000].into());
        let mut chunk = Chunk::default();
        let first = chunk.append(|own| {
            let insert = Insert::append(own, &long);
            own.extend_from_slice(b"1\n");
            insert
        });
        assert_eq!(first, long.len() + 2);
        let second = chunk.append(|own| {
            own.extend_from_slice(b"2");
            Insert::append(own, &other)
        });
        assert_eq!(second, 1 + other.len());
        (chunk, [&*long, b"1\n2", &*other].concat())
    }

    #[test]
    fn what_is_shared_is_written_where_it_belongs() {
        let (chunk, text) = chunk();
        assert_eq!((chunk.len(), chunk.is_empty(), chunk.as_bytes()), (text.len(), false, None));
        assert_eq!(chunk.io_slices().iter().flat_map(|slice| slice.to_vec()).collect::<Vec<_>>(), text);
        assert_eq!(chunk.into_bytes(), text);
    }

    #[cfg(feature = "http")]
    #[test]
    fn its_pieces_are_all_of_it() {
        let (chunk, text) = chunk();
        assert_eq!(chunk.into_pieces().make_contiguous().concat(), text);
        assert_eq!(Chunk::from(b"a".to_vec()).into_pieces(), ["a"]);
        assert!(Chunk::default().into_pieces().is_empty());
    }

    #[test]
    fn what_is_short_is_copied() {
        let mut own = b"1".to_vec();
        assert!(Insert::append(&mut own, &vec![b'a'; WORTH_SHARING - 1].into()).is_none());
        assert_eq!(own.len(), WORTH_SHARING);
    }

    #[test]
    fn what_is_put_back_stands_where_it_belongs() {
        let long: Arc<[u8]> = vec![b'a'; WORTH_SHARING].into();
        let mut own = b"1".to_vec();
        let insert = Insert::append(&mut own, &long).unwrap();
        own.extend_from_slice(b"23");
        insert.put_back(&mut own);
        assert_eq!(own, [b"1", &*long, b"23"].concat());
    }
}
