//! A mail server of somebody else, which answers as it is told and reads what arrives as a reader of mail does.

use std::sync::{Arc, Mutex};

use mail_parser::MessageParser;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::eventually;

/// Mail that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    /// Address that it was sent to.
    pub(crate) rcpt: String,
    /// Name and address that it says it is to.
    pub(crate) to: (Option<String>, String),
    pub(crate) from: (Option<String>, String),
    pub(crate) subject: String,
    pub(crate) id: String,
    pub(crate) generated: String,
    pub(crate) text: String,
    pub(crate) html: String,
}

/// Part of a conversation that an answer is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Said<'a> {
    From(&'a str),
    To(&'a str),
    Mail(&'a Received),
}

/// Decides an answer; `None` keeps the sender waiting.
type Answer = Box<dyn Fn(Said<'_>) -> Option<&'static str> + Send>;

#[derive(Default)]
struct Seen {
    mails: Vec<Received>,
    rcpts: Vec<String>,
}

/// Mail server of somebody else.
pub(crate) struct MailServer {
    pub(crate) port: u16,
    seen: Arc<Mutex<Seen>>,
    answer: Arc<Mutex<Answer>>,
    task: Option<JoinHandle<()>>,
}

/// Takes whatever comes.
pub(crate) fn takes(_: Said<'_>) -> Option<&'static str> {
    Some("250 2.0.0 Ok")
}

impl MailServer {
    /// Starts a server that takes whatever comes.
    pub(crate) async fn start() -> Self {
        let mut server = Self::down().await;
        server.comes_up().await;
        server
    }

    /// Returns a server that does not run, with a port that nobody else has.
    pub(crate) async fn down() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let answer: Answer = Box::new(takes);
        Self { port, seen: Arc::default(), answer: Arc::new(Mutex::new(answer)), task: None }
    }

    pub(crate) async fn comes_up(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
        let (seen, answer) = (self.seen.clone(), self.answer.clone());
        self.task = Some(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, seen.clone(), answer.clone()));
            }
        }));
    }

    pub(crate) fn answers(&self, answer: impl Fn(Said<'_>) -> Option<&'static str> + Send + 'static) {
        *self.answer.lock().unwrap() = Box::new(answer);
    }

    /// Returns the mails that arrived whole, whatever was answered.
    pub(crate) fn all(&self) -> Vec<Received> {
        self.seen.lock().unwrap().mails.clone()
    }

    /// Returns how often mail was begun to that address.
    pub(crate) fn begun(&self, to: &str) -> usize {
        self.seen.lock().unwrap().rcpts.iter().filter(|rcpt| *rcpt == to).count()
    }

    /// Waits for as many mails.
    pub(crate) async fn has(&self, count: usize) -> Vec<Received> {
        eventually(&format!("{count} mails arrive"), || async { self.all().len() >= count }).await;
        self.all()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Holds one conversation; it ends with the other side.
async fn talk(stream: TcpStream, seen: Arc<Mutex<Seen>>, answer: Arc<Mutex<Answer>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let say = |said: Said<'_>| answer.lock().unwrap()(said);
    let mut rcpt = String::new();
    stream.write_all(b"220 mail.example.org ESMTP\r\n").await.ok()?;
    loop {
        let line = line(&mut stream).await?;
        let argument =
            || line.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(address, _)| address);
        let answered = match line.get(..4).unwrap_or_default() {
            "EHLO" => Some("250-mail.example.org\r\n250 8BITMIME"),
            "MAIL" => say(Said::From(argument()?)),
            "RCPT" => {
                rcpt = argument()?.to_owned();
                seen.lock().unwrap().rcpts.push(rcpt.clone());
                say(Said::To(&rcpt))
            }
            "DATA" => {
                stream.write_all(b"354 go on\r\n").await.ok()?;
                let mail = received(&rcpt, &content(&mut stream).await?);
                seen.lock().unwrap().mails.push(mail.clone());
                say(Said::Mail(&mail))
            }
            "QUIT" => Some("221 bye"),
            _ => Some("250 Ok"),
        };
        let Some(answered) = answered else { return std::future::pending().await };
        stream.write_all(format!("{answered}\r\n").as_bytes()).await.ok()?;
    }
}

async fn line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
    Some(line.trim_end().to_owned())
}

async fn content(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut content = String::new();
    loop {
        let line = line(stream).await?;
        if line == "." {
            return Some(content);
        }
        assert!(line.len() < 998, "a line is too long for a mail");
        content.push_str(line.strip_prefix('.').unwrap_or(&line));
        content.push_str("\r\n");
    }
}

fn received(rcpt: &str, raw: &str) -> Received {
    let mail = MessageParser::default().parse(raw).expect("a mail");
    let person = |address: Option<&mail_parser::Address<'_>>| {
        let one = address.and_then(|address| address.first()).expect("an address");
        (one.name().map(str::to_owned), one.address().unwrap_or_default().to_owned())
    };
    assert_eq!(mail.date().expect("a date").to_rfc3339().get(..4), Some("2026"));
    Received {
        rcpt: rcpt.into(),
        to: person(mail.to()),
        from: person(mail.from()),
        subject: mail.subject().unwrap_or_default().into(),
        id: mail.message_id().unwrap_or_default().into(),
        generated: mail.header("Auto-Submitted").and_then(|value| value.as_text()).unwrap_or_default().into(),
        text: mail.body_text(0).unwrap_or_default().into_owned(),
        html: mail.body_html(0).unwrap_or_default().into_owned(),
    }
}
