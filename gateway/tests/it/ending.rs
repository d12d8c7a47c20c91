//! The gateway's shutdown: connected clients get their answers.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use adfolio_testkit::{eventually, within_limit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::fakes::Front;

/// A call that needs no service.
const PATH: &str = "/auth/v2/lang";

fn address(front: &Front) -> String {
    let url = front.url.trim_start_matches("http://");
    url.trim_end_matches("/api").to_owned()
}

#[tokio::test]
async fn a_gateway_that_ends_takes_requests_for_a_while_and_closes_behind_each() {
    let mut front = Front::start_with(|config| config.notice_seconds = 5).await;
    // The second call comes over the connection of the first, the third over another one.
    let mut closes = Vec::new();
    for number in 1..=3 {
        if number == 2 {
            front.shutdown.trigger();
        }
        let answer = front.get(PATH).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        closes.push(answer.headers().contains_key("connection"));
        answer.bytes().await.unwrap();
    }
    assert_eq!(closes, [false, true, true]);
    let ended = within_limit("the gateway ends", &mut front.task);
    ended.await.unwrap().unwrap();
    let refused = TcpStream::connect(address(&front)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_gets_a_connection_from_a_gateway_that_ends_gets_an_answer() {
    const CALLERS: usize = 8;
    let mut front = Front::start_with(|config| config.notice_seconds = 1).await;
    let answered = Arc::new(AtomicUsize::new(0));
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| tokio::spawn(call_until_refused(address(&front), Arc::clone(&answered))))
        .collect();
    eventually("calls are answered", || {
        std::future::ready(answered.load(Ordering::SeqCst) > 10 * CALLERS)
    })
    .await;
    front.shutdown.trigger();
    for caller in callers {
        within_limit("a caller is refused", caller).await.unwrap();
    }
    let ended = within_limit("the gateway ends", &mut front.task);
    ended.await.unwrap().unwrap();
}

/// A connection for each call, until there are none.
async fn call_until_refused(address: String, answered: Arc<AtomicUsize>) {
    loop {
        let mut stream = match TcpStream::connect(&address).await {
            Ok(stream) => stream,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
                return;
            }
        };
        let answer = ask(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "lost: {answer:?}");
        answered.fetch_add(1, Ordering::SeqCst);
    }
}

/// The one answer of a connection.
async fn ask(stream: &mut TcpStream) -> String {
    let request = format!("GET /api{PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
