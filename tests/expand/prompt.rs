/// Have a text translated.
pub fn translate(
    text: String,
    language: Option<String>,
    tries: u8,
    tone: Tone,
    ctx: Context,
) -> impl ::mcp_server::PromptFuture<Output = Result<String, RequestError>> {
    #[allow(clippy::unused_async)]
    async fn translate(
        text: String,
        language: Option<String>,
        tries: u8,
        tone: Tone,
        ctx: Context,
    ) -> Result<String, RequestError> {
        Ok(text)
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::PromptHandler for __Handler {
        fn prompt() -> ::mcp_server::Prompt {
            let mut prompt = ::mcp_server::Prompt::builder("translate");
            prompt.title("Translate");
            prompt.description("Have a text translated.");
            prompt.icon(flag());
            prompt.meta(json!({ "shelf" : 7 }));
            let text = prompt.parameter::<String, _>("text", "What to translate.");
            let language = prompt
                .parameter::<Option<String>, _>("language", "Into which language.");
            prompt.complete("language", languages);
            let tries = prompt.parameter_or::<u8, _>("tries", "", || 3);
            prompt.argument_title("tries", "How often");
            let tone = prompt
                .parameter_or::<Tone, _>("tone", "", ::core::default::Default::default);
            let ctx = prompt.parameter::<Context, _>("ctx", "");
            let result = prompt.returns::<Result<String, RequestError>>();
            prompt
                .handler(move |call| {
                    let text = text.take(call);
                    let language = language.take(call);
                    let tries = tries.take(call);
                    let tone = tone.take(call);
                    let ctx = ctx.take(call);
                    let (
                        ::core::option::Option::Some(text),
                        ::core::option::Option::Some(language),
                        ::core::option::Option::Some(tries),
                        ::core::option::Option::Some(tone),
                        ::core::option::Option::Some(ctx),
                    ) = (text, language, tries, tone, ctx) else { return call.refuse() };
                    call.run(translate(text, language, tries, tone, ctx), result)
                })
        }
    }
    ::mcp_server::__private::tagged::<
        __Handler,
        _,
    >(translate(text, language, tries, tone, ctx))
}
fn hello() -> Vec<PromptMessage> {
    Vec::new()
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct hello {}
#[automatically_derived]
impl ::mcp_server::__private::PromptHandler for hello {
    fn prompt() -> ::mcp_server::Prompt {
        let mut prompt = ::mcp_server::Prompt::builder("say.hello");
        let result = prompt.returns::<Vec<PromptMessage>>();
        prompt.handler(move |call| { call.run_blocking(move || hello(), result) })
    }
}
