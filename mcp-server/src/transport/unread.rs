//! How much of what was written the client has not read yet, where the system tells.
//!
//! Many clients lose a report that they read together with its response. Holding the response back until the report
//! has been read keeps the two apart, however busy the client's machine is.

use std::os::fd::OwnedFd;

use rustix::io::ioctl_fionread;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with};

use crate::server::output::Unread;

/// For the end of a pipe that is written to.
pub(crate) fn of_pipe(pipe: OwnedFd) -> Unread {
    Box::new(move || ioctl_fionread(&pipe).ok())
}

/// For a Unix socket, by its inode. The system counts what the bytes occupy, which is never less than the bytes.
pub(crate) fn of_socket(inode: u64) -> Option<Unread> {
    let inode = u32::try_from(inode).ok()?;
    // Asking once shows whether the system answers at all.
    ask(inode)?;
    Some(Box::new(move || ask(inode)))
}

/// The kind of message that a question to the socket diagnosis is, and its answer too.
const SOCK_DIAG_BY_FAMILY: u16 = 20;

/// Asks the kernel's socket diagnosis for one Unix socket: the same figure that `ss -x` prints as its send queue.
fn ask(inode: u32) -> Option<u64> {
    const NLM_F_REQUEST: u16 = 1;
    const AF_UNIX: u8 = 1;
    const UDIAG_SHOW_RQLEN: u32 = 0x10;
    const HEADER: usize = 16;
    const REQUEST: usize = 24;

    let mut request = Vec::with_capacity(HEADER + REQUEST);
    request.extend_from_slice(&((HEADER + REQUEST) as u32).to_ne_bytes());
    request.extend_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    request.extend_from_slice(&NLM_F_REQUEST.to_ne_bytes());
    // Sequence and port: there is one question and one answer.
    request.extend_from_slice(&[0; 8]);
    request.extend_from_slice(&[AF_UNIX, 0, 0, 0]);
    // Sockets in all states, this one, its queues, and no cookie to compare.
    for word in [u32::MAX, inode, UDIAG_SHOW_RQLEN, u32::MAX, u32::MAX] {
        request.extend_from_slice(&word.to_ne_bytes());
    }

    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(netlink::SOCK_DIAG)).ok()?;
    send(&kernel, &request, SendFlags::empty()).ok()?;
    // The answer is there when the question has been sent.
    let mut answer = [0; 512];
    let (_, length) = recv(&kernel, &mut answer, RecvFlags::empty()).ok()?;
    send_queue(answer.get(..length)?)
}

/// Finds the length of the send queue in an answer.
fn send_queue(answer: &[u8]) -> Option<u64> {
    const UNIX_DIAG_RQLEN: u16 = 4;
    const HEADERS: usize = 16 + 16;

    let half = |at: usize| Some(u16::from_ne_bytes(answer.get(at..at + 2)?.try_into().ok()?));
    if half(4)? != SOCK_DIAG_BY_FAMILY {
        return None;
    }
    let mut at = HEADERS;
    loop {
        let (length, kind) = (usize::from(half(at)?), half(at + 2)?);
        if kind == UNIX_DIAG_RQLEN {
            // First what this side could read, then what the other side has not read.
            return Some(u32::from_ne_bytes(answer.get(at + 8..at + 12)?.try_into().ok()?).into());
        }
        at += length.max(4).next_multiple_of(4);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_pipe_tells_what_has_not_been_read() {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let unread = of_pipe(writer.try_clone().unwrap().into());
        assert_eq!(unread(), Some(0));
        writer.write_all(b"12345").unwrap();
        assert_eq!(unread(), Some(5));
        reader.read_exact(&mut [0; 5]).unwrap();
        assert_eq!(unread(), Some(0));
    }

    #[test]
    fn a_socket_tells_at_least_what_has_not_been_read() {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        let file = std::fs::File::from(OwnedFd::from(ours.try_clone().unwrap()));
        let Some(unread) = of_socket(file.metadata().unwrap().ino()) else {
            eprintln!("left out: this system does not tell about its sockets");
            return;
        };
        assert_eq!(unread(), Some(0));
        ours.write_all(b"12345").unwrap();
        assert!(unread() >= Some(5));
        theirs.read_exact(&mut [0; 5]).unwrap();
        assert_eq!(unread(), Some(0));
    }
}
