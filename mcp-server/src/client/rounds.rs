//! The rounds of one call: a request, what the server asks back, and the request again with the answers.
//!
//! Specification: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde_json::value::RawValue;

use super::call::Spec;
use super::request::{Head, Limits, Options, Request, Step};
use super::{CallError, asked, output, results};
use crate::protocol::{ErrorCode, Progress, RESERVED_PREFIX, fault_of_key};
use crate::schema::GivenSchema;

/// A limit for a call whose time starts anew with each report, unless one is set.
const MAX_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// A call on its way: sent when it is first polled, given up when it is dropped.
pub(crate) struct Rounds<'c> {
    spec: Spec<'c>,
    listens: bool,
    /// How many rounds the server has ended with questions.
    asked: usize,
    /// What goes back with the next round, as members of the params.
    answers: String,
    /// Whether it was tried anew after a failure that may not come twice.
    tried_anew: bool,
    /// What the structured result of a tool is held against, once that is known.
    promised: Option<Option<Arc<GivenSchema>>>,
    /// How many changes of the server had been heard of when it was sent.
    changes: u64,
    now: Now<'c>,
}

/// Something that has to be done for a call.
type Task<'c, T> = Pin<Box<dyn Future<Output = Result<T, CallError>> + Send + 'c>>;

// A call is in its largest state for nearly all of its time.
#[allow(clippy::large_enum_variant)]
enum Now<'c> {
    /// About to be sent.
    Ready,
    /// Sent.
    Waiting(Request<'c>),
    /// Finding out what the result will be held against.
    Learning(Task<'c, Option<Arc<GivenSchema>>>),
    /// Something else has to be done before the next round: the members that go with it.
    Between(Task<'c, String>),
    Over,
}

/// What came for a call.
pub(crate) enum Event {
    Report(Progress),
    Outcome(Result<Box<RawValue>, CallError>),
}

impl fmt::Debug for Rounds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rounds").field("spec", &self.spec).field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl<'c> Rounds<'c> {
    pub(crate) fn new(spec: Spec<'c>, listens: bool) -> Self {
        Self {
            spec,
            listens,
            asked: 0,
            answers: String::new(),
            tried_anew: false,
            promised: None,
            changes: 0,
            now: Now::Ready,
        }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        loop {
            match &mut self.now {
                Now::Ready => match self.ready() {
                    Ok(next) => self.now = next,
                    Err(outcome) => return self.over(*outcome),
                },
                Now::Learning(learning) => match ready!(learning.as_mut().poll(cx)) {
                    Ok(promised) => {
                        self.promised = Some(promised);
                        self.now = Now::Ready;
                    }
                    Err(error) => return self.over(Err(error)),
                },
                Now::Waiting(request) => match ready!(request.poll(cx)) {
                    Step::Report(report) => return Poll::Ready(Event::Report(report)),
                    Step::Outcome(outcome) => match self.after(outcome) {
                        Ok(next) => self.now = next,
                        Err(outcome) => return self.over(*outcome),
                    },
                },
                Now::Between(done) => match ready!(done.as_mut().poll(cx)) {
                    Ok(answers) => {
                        self.answers = answers;
                        self.now = Now::Ready;
                    }
                    Err(error) => return self.over(Err(error)),
                },
                Now::Over => panic!("a call is not polled after its outcome"),
            }
        }
    }

    fn over(&mut self, outcome: Result<Box<RawValue>, CallError>) -> Poll<Event> {
        self.now = Now::Over;
        Poll::Ready(Event::Outcome(outcome))
    }

    /// Keeps the time while the caller is busy with a report.
    pub(crate) fn watch(&mut self, cx: &mut Context<'_>) {
        if let Now::Waiting(request) = &mut self.now {
            request.watch(cx);
        }
    }

    /// What is first, or what there is already.
    fn ready(&mut self) -> Result<Now<'c>, Box<Result<Box<RawValue>, CallError>>> {
        if let Some(result) = self.kept() {
            return Err(Box::new(Ok(result)));
        }
        let Spec { client, subject, members, checks_output, .. } = &self.spec;
        let client = *client;
        if *checks_output
            && self.promised.is_none()
            && members.is_ok()
            && let Some(tool) = subject
        {
            let learning = within(self.spec.limits, output::schema_of(client, tool.clone()));
            return Ok(Now::Learning(Box::pin(learning)));
        }
        self.changes = client.link.connection.cache.changes();
        self.request().map(Now::Waiting).map_err(|error| Box::new(Err(error)))
    }

    /// A result that is still good from another time.
    fn kept(&self) -> Option<Box<RawValue>> {
        // What was answered is to be sent.
        if self.spec.fresh || self.asked > 0 || !self.may_keep() {
            return None;
        }
        let members = self.spec.members.as_ref().ok()?;
        self.spec.client.link.connection.cache.get(&self.spec.method, members)
    }

    /// Does not keep the result for another time.
    pub(crate) fn forget(&self) {
        if let Ok(members) = &self.spec.members {
            self.spec.client.link.connection.cache.remove(&self.spec.method, members);
        }
    }

    /// "Clients MUST NOT cache" what depends on answers (Caching, Cache Key); and only stateless servers say for how long
    /// a result is good.
    fn may_keep(&self) -> bool {
        self.asked == 0 && self.spec.client.protocol_version().is_modern()
    }

    fn request(&mut self) -> Result<Request<'c>, CallError> {
        let Spec { client, method, subject, members, arguments, meta, limits, .. } = &mut self.spec;
        let members = members.as_ref().map_err(CallError::clone)?;
        for key in meta.keys() {
            if let Some(reason) = fault_of_key(key) {
                return Err(CallError::InvalidMeta { key: key.clone(), reason });
            }
        }
        let version = client.protocol_version();
        if !version.is_modern() {
            meta.retain(|key, _| !key.starts_with(RESERVED_PREFIX));
        }
        if limits.reset {
            limits.max.get_or_insert(MAX_TIMEOUT);
        }
        let reports = self.listens || limits.reset;
        let answers = &self.answers;
        let params = |out: &mut Vec<u8>, id| {
            out.push(b'{');
            out.extend_from_slice(members.as_bytes());
            if !answers.is_empty() {
                super::separate(out);
                out.extend_from_slice(answers.as_bytes());
            }
            client.write_meta(out, reports.then_some(id), meta);
            out.push(b'}');
        };
        let connection = &client.link.connection;
        let mirrored = match (&subject, &arguments) {
            (Some(tool), Some(arguments)) if connection.repeats_arguments() => {
                connection.tools.mirrored(tool, arguments)
            }
            _ => Vec::new(),
        };
        let subject = subject.as_deref();
        let head = Head { method, subject, mirrored, version: Some(version), opens_session: false };
        let options = Options { limits: *limits, listens: self.listens, cancels: true };
        Ok(Request::new(connection, head, params, options))
    }

    /// What is next after a round: another one, or the outcome.
    fn after(
        &mut self,
        outcome: Result<Box<RawValue>, CallError>,
    ) -> Result<Now<'c>, Box<Result<Box<RawValue>, CallError>>> {
        let client = self.spec.client;
        let result = match outcome {
            Ok(result) => result,
            Err(error) => return self.anew(&error).ok_or(Box::new(Err(error))),
        };
        if self.may_ask()
            && client.protocol_version().is_modern()
            && let Some((request_state, input_requests)) = results::input_required(&result)
        {
            if self.asked == client.max_rounds {
                return Err(Box::new(Err(CallError::TooManyRounds { limit: self.asked })));
            }
            self.asked += 1;
            let connection = Arc::clone(&client.link.connection);
            return Ok(Now::Between(Box::pin(asked::answers(connection, request_state, input_requests))));
        }
        if self.may_keep()
            && let Ok(members) = &self.spec.members
        {
            client.link.connection.cache.put(&self.spec.method, members, &result, self.changes);
        }
        let checked = match &self.promised {
            Some(Some(schema)) => output::check(schema, &result),
            _ => Ok(()),
        };
        Err(Box::new(checked.map(|()| result)))
    }

    fn may_ask(&self) -> bool {
        matches!(&*self.spec.method, "tools/call" | "prompts/get" | "resources/read")
    }

    /// Another try, where one is allowed after this error.
    fn anew(&mut self, error: &CallError) -> Option<Now<'c>> {
        let (again, refresh) = match error {
            // The schema of the tool has changed: "call `tools/list` again, then retry once". It may come through a bridge
            // from streams to HTTP, too.
            CallError::Server(error) if error.code == ErrorCode::HEADER_MISMATCH => {
                (self.spec.arguments.is_some(), true)
            }
            // "Clients MUST re-issue" what was lost "as a new request"; but what is done may not be done twice.
            CallError::Lost { .. } => (self.may_repeat(), false),
            _ => (false, false),
        };
        if !again || std::mem::replace(&mut self.tried_anew, true) {
            return None;
        }
        tracing::debug!(%error, "a request is sent once more");
        // The same request: nobody is asked twice for one answer.
        let (client, answers) = (self.spec.client, self.answers.clone());
        Some(Now::Between(Box::pin(async move {
            if refresh {
                client.refresh_tools().await?;
            }
            Ok(answers)
        })))
    }

    /// Whether nothing is changed by asking twice.
    fn may_repeat(&self) -> bool {
        match &*self.spec.method {
            "tools/call" => {
                let tools = &self.spec.client.link.connection.tools;
                self.spec.subject.as_deref().is_some_and(|tool| tools.is_idempotent(tool))
            }
            "completion/complete"
            | "ping"
            | "prompts/get"
            | "prompts/list"
            | "resources/list"
            | "resources/read"
            | "resources/templates/list"
            | "server/discover"
            | "tools/list" => true,
            _ => false,
        }
    }
}

/// Does what a call needs before it can be sent, in the time that the call has.
async fn within<T>(limits: Limits, task: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
    match [limits.timeout, limits.max].into_iter().flatten().min() {
        Some(after) => {
            let timeout = CallError::Timeout { after, silent: false };
            tokio::time::timeout(after, task).await.unwrap_or(Err(timeout))
        }
        None => task.await,
    }
}
