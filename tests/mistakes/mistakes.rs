//! Programs for the compiler: one mistake a file in `ui/`, beside the one error that it gives. A mistake begins with a
//! comment that says why it is one and what to write instead: from these comes the page of the library about errors.
//! What has to compile is in `fine/`, and is compiled as tests of their own: with one of them among the mistakes, each
//! mistake would be built alone, one after the other, which takes several times as long.
//!
//! `TRYBUILD=overwrite cargo test -p mistakes --test mistakes` writes the errors anew, and then
//! `UPDATE_MISTAKES=1` the page.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[test]
fn each_mistake_gives_its_error() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("ui/*.rs");
}

#[test]
fn one_mistake_is_one_error() {
    /// What the compiler says twice by itself.
    const TWICE: [&str; 5] = [
        "given_server_not_send",
        "parameter_state_without_type",
        "result_with_one_type",
        "tool_on_a_closure",
        "unused_server",
    ];
    let mut errors = 0;
    let mistakes = mistakes();
    for Mistake { name, told, .. } in &mistakes {
        let told = told.lines().filter(|line| line.starts_with("error")).count();
        let expected = if TWICE.contains(&name.as_str()) { 2 } else { 1 };
        assert_eq!(told, expected, "errors of {name}");
        errors += told;
    }
    let average = errors as f64 / mistakes.len() as f64;
    println!("{} mistakes, {errors} errors: {average:.2} each", mistakes.len());
    assert!(average <= 1.1, "{errors} errors for {} mistakes", mistakes.len());
}

#[test]
fn no_error_speaks_of_what_the_macros_wrote() {
    // The compiler adds by itself which trait a value lacks, and `ServerBlock` has a page in the documentation. It is no
    // word for what an error says, though.
    let conflict = "conflicting implementations of trait `ServerBlock`";
    for Mistake { name, told, .. } in mistakes() {
        for generated in ["__Handler", "ToolHandler", "ResourceHandler", "PromptHandler", "Tagged", "tagged"] {
            assert!(!told.contains(generated), "{name} mentions `{generated}`");
        }
        let says = |line: &str| line.starts_with("error") || line.contains('^') && line.trim_start().starts_with('|');
        let mut said = told.lines().filter(|line| says(line) && !line.contains(conflict) && !is_bound(line));
        assert!(!said.any(|line| line.contains("ServerBlock")), "{name} speaks of `ServerBlock`");
    }
}

/// Whether this is about the function of the library that asks for something.
fn is_bound(line: &str) -> bool {
    line.contains("required by this bound in")
}

#[test]
fn the_page_of_mistakes_is_as_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mcp-server/src/mistakes.md");
    let page = page(&mistakes());
    if env::var_os("UPDATE_MISTAKES").is_some() {
        fs::write(path, page).unwrap();
        return;
    }
    let recorded = fs::read_to_string(path).unwrap_or_default();
    let line = page.lines().zip(recorded.lines()).position(|(new, old)| new != old);
    let line = line.unwrap_or_else(|| page.lines().count().min(recorded.lines().count()));
    let text = |page: &str| page.lines().nth(line).unwrap_or_default().to_owned();
    assert!(
        page == recorded,
        "mistakes.md, line {}\n  was {}\n  is  {}\nUPDATE_MISTAKES=1 writes the page anew",
        line + 1,
        text(&recorded),
        text(&page)
    );
}

/// A program that does not compile.
struct Mistake {
    /// That of its file.
    name: String,
    /// The comment at its beginning, on one line.
    explanation: String,
    /// The rest of it.
    code: String,
    /// The line on which the rest begins.
    line: usize,
    /// What the compiler says.
    told: String,
}

impl Mistake {
    fn read(path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(path).unwrap();
        let told = fs::read_to_string(path.with_extension("stderr")).unwrap_or_default();
        assert!(told.contains("error"), "{name} lacks its error: TRYBUILD=overwrite writes it");
        let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim).collect();
        assert!(
            !comment.is_empty(),
            "{name} lacks the comment that says why it is a mistake and what to write instead"
        );
        let line = comment.len() + text.lines().skip(comment.len()).take_while(|line| line.is_empty()).count();
        let code = text.lines().skip(line).collect::<Vec<_>>().join("\n");
        Self { name, explanation: comment.join(" "), code, line: line + 1, told }
    }

    /// The first line of the error, without the word and the code: `error[E0277]: `.
    fn message(&self) -> &str {
        let line = self.told.lines().find(|line| line.starts_with("error")).unwrap();
        line.split_once(": ").unwrap().1
    }

    /// The number of the line that the error points at.
    fn place(&self) -> usize {
        let place = self.told.lines().find_map(|line| line.trim_start().strip_prefix("--> ")).unwrap();
        place.split(':').nth(1).unwrap().parse().unwrap()
    }

    /// The code without what is in each of these programs. `main` is there if it has the mistake.
    fn shown(&self) -> String {
        let main = self.code.find("fn main()").unwrap_or(self.code.len());
        let line_of_main = self.line + self.code[..main].lines().count();
        let shown = if self.place() < line_of_main { &self.code[..main] } else { &self.code };
        shown.replace(PRELUDE, "").trim().to_owned()
    }

    /// Where a line of the file is in the code that is shown.
    fn line_shown(&self, line: usize) -> usize {
        let prelude = self.code.find(PRELUDE).map(|at| self.line + self.code[..at].lines().count());
        let cut = if prelude.is_some_and(|prelude| prelude < line) { PRELUDE.lines().count() } else { 0 };
        line - (self.line - 1) - cut
    }

    /// A line of an error, with the number of that line of the code which is shown.
    fn renumbered(&self, line: &str) -> String {
        let place = format!("ui/{}.rs:", self.name);
        if let Some((before, after)) = line.split_once(&place) {
            let (number, rest) = after.split_once(':').unwrap();
            let number = self.line_shown(number.parse().unwrap());
            return format!("{}src/main.rs:{number}:{}", before.trim_end_matches("$DIR/"), self.renumbered(rest));
        }
        let Some(end) = line.find(" |").or_else(|| line.find(" - ")).or_else(|| line.find(" + ")) else {
            return line.to_owned();
        };
        match line[..end].trim_start().parse() {
            Ok(number) => format!("{:>end$}{}", self.line_shown(number), &line[end..]),
            Err(_) => line.to_owned(),
        }
    }

    /// The error as a reader meets it, without the place in the library that asked for something, and with the lines
    /// counted as in the code that is shown.
    fn error(&self) -> String {
        let mut kept: Vec<String> = Vec::new();
        let mut is_in_library = false;
        for line in self.told.lines() {
            let begins = line.starts_with("note: ") || line.starts_with("help: ") || line.starts_with("error");
            if begins || line.is_empty() || line.trim_start().starts_with("= ") {
                is_in_library = line.starts_with("note: required by a bound in")
                    || line.starts_with("note: method defined here")
                    || line.starts_with("help: the following other types")
                    || line.contains("this error originates in the attribute macro");
            }
            if !is_in_library {
                kept.push(self.renumbered(line));
            }
        }
        while kept.last().is_some_and(|line| line.trim().is_empty() || line.trim() == "|") {
            kept.pop();
        }
        kept.join("\n")
    }
}

/// What stands in each of the programs.
const PRELUDE: &str = "use mcp_server::prelude::*;\n\n";

/// The programs with a mistake, by their names.
fn mistakes() -> Vec<Mistake> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    paths.sort();
    paths.iter().map(|path| Mistake::read(path)).collect()
}

/// What a mistake is about, by the beginning of its name.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Parameters", &["parameter_", "flatten_", "context_", "header_"]),
    ("Results", &["result_"]),
    ("The function", &["await_", "const_", "extern_", "function_", "generic_", "unsafe_", "variadic_"]),
    ("Futures", &["future_"]),
    ("Names and options", &["description_", "name_", "option_", "scopes_"]),
    ("Where an attribute stands", &["tool_"]),
    ("`#[server]` blocks", &["receiver_", "server_"]),
    ("Resources", &["resource_"]),
    ("Prompts", &["prompt_"]),
    ("Completion", &["complete_"]),
    ("Giving to a server", &["given_"]),
    ("What is never used", &["unused_"]),
];

const INTRODUCTION: &str = "\
What the errors of the attributes mean, and what to write instead. Each heading is the first line of an error, as the
compiler prints it: search this page for yours. Names such as `f`, `Point` or `Shop` are those of the example. All of
it goes for tools, resources and prompts alike, and for functions as well as for methods in a `#[server]` block, unless
it says something else.
";

/// The page: sections of errors, each with what it means and the code that has it.
fn page(mistakes: &[Mistake]) -> String {
    for Mistake { name, .. } in mistakes {
        let sections = SECTIONS.iter().flat_map(|(_, beginnings)| *beginnings);
        assert!(sections.into_iter().any(|it| name.starts_with(it)), "{name} is in none of the sections of the page");
    }
    let mut page = INTRODUCTION.to_owned();
    let mut explained = BTreeSet::new();
    for (section, beginnings) in SECTIONS {
        let mut left: Vec<&Mistake> = Vec::new();
        for beginning in *beginnings {
            left.extend(mistakes.iter().filter(|mistake| mistake.name.starts_with(beginning)));
        }
        write!(page, "\n## {section}\n").unwrap();
        while let Some(first) = left.first() {
            let message = first.message();
            let (same, others): (Vec<&Mistake>, Vec<&Mistake>) =
                left.iter().partition(|mistake| mistake.message() == message);
            left = others;
            // The same in a block, or in another kind of function, is no news.
            let news = |mistake: &&Mistake| explained.insert((message.to_owned(), mistake.explanation.clone()));
            let news: Vec<&Mistake> = same.into_iter().filter(news).collect();
            entry(&mut page, &news);
        }
    }
    page
}

/// One error, and the mistakes that lead to it.
fn entry(page: &mut String, mistakes: &[&Mistake]) {
    for (index, mistake) in mistakes.iter().enumerate() {
        if index == 0 {
            write!(page, "\n### {}\n", escaped(&without_places(mistake.message()))).unwrap();
        }
        write!(page, "\n{}\n\n```text\n{}\n```\n", escaped(&mistake.explanation), mistake.shown()).unwrap();
        if index == 0 {
            write!(page, "\n```text\n{}\n```\n", mistake.error()).unwrap();
        }
    }
}

/// A message without the places of closures: `{closure@$DIR/ui/given_closure.rs:9:38: 9:52}`.
fn without_places(message: &str) -> String {
    match message.split_once("@$DIR") {
        Some((before, after)) => format!("{before}{}", &after[after.find('}').unwrap_or(after.len())..]),
        None => message.to_owned(),
    }
}

/// A sentence as Markdown: what is not in backticks means itself.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let mut is_code = false;
    for c in text.chars() {
        is_code ^= c == '`';
        if !is_code && "<>[]*_\\#".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
