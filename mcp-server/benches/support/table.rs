//! Tables in Markdown, aligned so that they read well as text.

/// A table with its heading.
#[derive(Debug)]
pub struct Table {
    heading: String,
    /// So many columns at the left are text.
    texts: usize,
    rows: Vec<Vec<String>>,
    notes: String,
}

impl Table {
    /// A table without rows.
    pub fn new(title: &str, about: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        Self { heading: format!("## {title}\n\n{about}\n\n"), texts: 0, rows: vec![columns], notes: String::new() }
    }

    /// Says that so many columns at the left are text.
    pub fn texts(mut self, columns: usize) -> Self {
        self.texts = columns;
        self
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds a sentence below the table.
    pub fn note(&mut self, text: &str) {
        self.notes += &format!("\n{text}\n");
    }

    /// The table as text.
    pub fn finish(mut self) -> String {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<_> = (0..self.rows[0].len()).map(width).collect();
        // Numbers stand on the right.
        let line = |(column, width): (usize, &usize)| match column < self.texts {
            true => "-".repeat(*width),
            false => format!("{}:", "-".repeat(width - 1)),
        };
        self.rows.insert(1, widths.iter().enumerate().map(line).collect());
        let cell = |(column, (cell, width)): (usize, (&String, &usize))| match column < self.texts {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        };
        let mut text = self.heading;
        for row in &self.rows {
            let cells: Vec<_> = row.iter().zip(&widths).enumerate().map(cell).collect();
            text += &format!("| {} |\n", cells.join(" | "));
        }
        text + &self.notes
    }
}

/// A number with its thousands apart.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with as many places as say something; a dash where there is none.
pub fn rounded(number: Option<f64>) -> String {
    match number {
        None => "–".to_owned(),
        Some(number) if number >= 100.0 => grouped(number.round() as usize),
        Some(number) if number >= 10.0 => format!("{number:.1}"),
        Some(number) => format!("{number:.2}"),
    }
}
