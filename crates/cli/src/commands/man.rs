//! `throughline man`: prints the manual page, or writes one for every command.

use std::path::{Path, PathBuf};

use clap_mangen::Man;
use serde_json::json;

use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::output::count;

/// Print the manual page, or write one for every command into a folder
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline man > throughline.1                    the page of the program
  throughline man --out ~/.local/share/man/man1      a page for every command: man throughline-why")]
pub(crate) struct Args {
    /// The folder to write the pages of all commands into
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(app: &App, args: &Args, tree: clap::Command) -> Outcome {
    let mut tree = tree.disable_help_subcommand(true);
    tree.build();
    let Some(folder) = &args.out else {
        let page = page(&tree)?;
        if app.out.is_json() {
            app.out.value(&json!({ "page": page }))?;
        } else {
            app.out.line(&page)?;
        }
        return Ok(Exit::Ok);
    };
    let cannot = |error| Failure::new(format!("cannot write into {}", folder.display())).because(&error);
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let mut written = Vec::new();
    write(&tree, "throughline", folder, &mut written)?;
    if app.out.is_json() {
        app.out.value(&written)?;
    } else {
        app.out.line(&format!("wrote {} into {}", count(written.len(), "page"), folder.display()))?;
    }
    Ok(Exit::Ok)
}

/// Writes the page of a command and those of its commands.
fn write(
    command: &clap::Command,
    name: &str,
    folder: &Path,
    written: &mut Vec<String>,
) -> Result<(), Failure> {
    let file = folder.join(format!("{name}.1"));
    let cannot = |error| Failure::new(format!("cannot write {}", file.display())).because(&error);
    std::fs::write(&file, page(command)?).map_err(cannot)?;
    written.push(file.display().to_string());
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        write(sub, &format!("{name}-{}", sub.get_name()), folder, written)?;
    }
    Ok(())
}

/// Returns a page, with the examples at its end, where readers of manuals look for them.
fn page(command: &clap::Command) -> Result<String, Failure> {
    let texts = [command.get_before_help(), command.get_after_help()];
    let texts: Vec<String> = texts.into_iter().flatten().map(ToString::to_string).collect();
    let command = command.clone().after_help(texts.join("\n\n"));
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
