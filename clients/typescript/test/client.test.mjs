/** The built client: against answers made here, and against a running server where TRIVIUM_URL names one. */

import assert from "node:assert";
import { createServer } from "node:http";
import { once } from "node:events";
import { test } from "node:test";
import { TriviumError, trivium } from "../dist/index.js";

async function answering(reply, use) {
  const server = createServer(reply).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const streamed = (...pieces) => (request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of pieces) response.write(piece);
  response.end();
};

test("a problem is an error with its code and action", () =>
  answering((request, response) => {
    response.writeHead(401, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ code: "unauthenticated", detail: "No key.", action: "Send one.", status: 401 }));
  }, async (url) => {
    await assert.rejects(trivium(url).ask("x"), (error) => {
      assert(error instanceof TriviumError);
      assert.equal(error.problem.code, "unauthenticated");
      assert.equal(error.message, "No key. Send one.");
      return true;
    });
  }));

test("events come in pieces, with heartbeats between them", () =>
  answering(streamed('event: text\nda', 'ta: {"text":"A"}\n\n: keep-alive\n\n', 'event: answer\ndata: {"text":"A"}\n\n'), async (url) => {
    const seen = [];
    for await (const each of trivium(url).askStream("x")) seen.push(each.event);
    assert.deepEqual(seen, ["text", "answer"]);
  }));

test("a stream that breaks off, or tells of an error, is thrown", async () => {
  const drain = async (url) => { for await (const each of trivium(url).askStream("x")) void each; };
  await answering(streamed('event: text\ndata: {"text":"A"}\n\n'), (url) => assert.rejects(drain(url), /broke off/));
  await answering(streamed('event: error\ndata: {"code":"llm_down","detail":"Away.","action":"Wait.","status":503}\n\n'), (url) =>
    assert.rejects(drain(url), (error) => error.problem.code === "llm_down" && error.status === 503));
});

test("a server that is away, or goes away, is an error like the others", async () => {
  const told = (code) => (error) => error instanceof TriviumError && error.problem.code === code && error.status === 0;
  let away;
  await answering(() => {}, async (url) => { away = url; });
  await assert.rejects(trivium(away).ask("x"), told("server_unreachable"));
  await assert.rejects(trivium(away).GET("/v1/status"), told("server_unreachable"));
  const cut = (request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-length": "99" });
    response.write('event: text\ndata: {"text":"A"}\n\n', () => response.destroy());
  };
  await answering(cut, (url) => assert.rejects(async () => {
    for await (const each of trivium(url).askStream("x")) void each;
  }, told("connection_lost")));
});

test("an answer that is cut, or is not JSON, is an error like the others", async () => {
  const told = (code) => (error) => error instanceof TriviumError && error.problem.code === code && error.status === 0;
  const cut = (request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "99" });
    response.write('{"text":', () => response.destroy());
  };
  const foreign = (request, response) => response.end("<html>Sign in</html>");
  for (const [reply, code] of [[cut, "connection_lost"], [foreign, "foreign_answer"]]) {
    await answering(reply, async (url) => {
      await assert.rejects(trivium(url).ask("x"), told(code));
      await assert.rejects(trivium(url).search("x"), told(code));
    });
  }
});

test("a stream that is not Trivium's, or has no body, is an error like the others", async () => {
  const told = (error) => error instanceof TriviumError && error.problem.code === "foreign_answer" && error.status === 0;
  const drain = async (client) => { for await (const each of client.askStream("x")) void each; };
  await answering(streamed("data: <b>\n\n"), (url) => assert.rejects(drain(trivium(url)), told));
  await assert.rejects(drain(trivium("http://127.0.0.1", { fetch: async () => new Response(null) })), told);
});

test("a key that no header can hold is refused and not shown", async () => {
  for (const apiKey of ["tvk_SECRET\ntvk_SECRET", "tvk_SECRET\x00", "tvk_SECRET\xfc"]) {
    assert.throws(() => trivium("http://127.0.0.1", { apiKey }), (error) =>
      error instanceof TriviumError && error.problem.code === "bad_setting" && !error.message.includes("SECRET"));
  }
  const seen = [];
  const fetch = async (request) => { seen.push(request.headers.get("authorization")); return new Response("{}"); };
  await trivium("http://127.0.0.1", { apiKey: " right\n", fetch }).ask("x");
  assert.deepEqual(seen, ["Bearer right"]);
});

test("a running server answers, whole and as it is written", { skip: !process.env.TRIVIUM_URL && "TRIVIUM_URL names no server" }, async () => {
  const client = trivium(process.env.TRIVIUM_URL, { apiKey: process.env.TRIVIUM_API_KEY });
  const { data } = await client.GET("/v1/sources", { params: { query: { limit: 1 } } });
  assert.equal(data.sources.length, 1);
  const whole = await client.ask(process.env.QUESTION);
  assert(whole.citations.length > 0);
  const events = [];
  for await (const each of client.askStream(process.env.QUESTION)) events.push(each);
  assert.equal(events.at(-1).data.text, whole.text);
  assert((await client.search(process.env.QUESTION, { top_k: 2 })).hits.length <= 2);
});
