/** Trivium's HTTP interface: every route by its path, typed from docs/openapi.json, and the answer as it is written. */

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type Schemas = components["schemas"];

/** What went wrong, as the server told it (RFC 9457); `status` is 0 where it told nothing. */
export class TriviumError extends Error {
  constructor(readonly problem: Partial<Schemas["Problem"]>, readonly status: number, cause?: unknown) {
    super([problem.detail ?? `The server answered ${status}.`, problem.action ?? ""].join(" ").trim(), { cause });
  }
}

export interface Options {
  apiKey?: string;
  /** Instead of the platform's own. */
  fetch?: typeof globalThis.fetch;
}

/** One event of an answer: its name, and its data as the document describes them. */
export interface AnswerEvent {
  event: string;
  data: unknown;
}

export interface Trivium extends Client<paths> {
  /** A cited answer. Rejects with a `TriviumError`. */
  ask(question: string, more?: Omit<Schemas["QueryRequest"], "query" | "stream">): Promise<Schemas["Answer"]>;
  /** The same as it is written; the event `answer` comes last. Leaving the loop early stops the work. */
  askStream(question: string, more?: Omit<Schemas["QueryRequest"], "query" | "stream">): AsyncGenerator<AnswerEvent>;
  /** Passages, best first. Rejects with a `TriviumError`. */
  search(query: string, more?: Omit<Schemas["SearchRequest"], "query">): Promise<Schemas["SearchResponse"]>;
}

/**
 * A client of the server at `baseUrl`; `GET`, `POST`, ... take a path of the interface and are typed by it.
 * Throws a `TriviumError` for an `apiKey` that no header can hold.
 */
export function trivium(baseUrl: string, { apiKey, fetch }: Options = {}): Trivium {
  const key = sendable(apiKey);
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const reach = reaching(baseUrl, fetch ?? globalThis.fetch);
  const client = createClient<paths>({ baseUrl, headers, fetch: reach });
  const added: Omit<Trivium, keyof Client<paths>> = {
    async ask(question: string, more = {}) {
      const body = { ...more, query: question };
      return told<Schemas["Answer"]>(await whole(reach, (fetch) => client.POST("/v1/queries", { body, fetch })));
    },
    async *askStream(question: string, more = {}) {
      const stopping = new AbortController();
      const answer = await client.POST("/v1/queries", {
        body: { ...more, query: question, stream: true },
        parseAs: "stream",
        signal: stopping.signal,
      });
      try {
        const body = told<ReadableStream<Uint8Array> | null>(answer);
        if (body === null) throw foreign();
        yield* events(body);
      } finally {
        stopping.abort();
      }
    },
    async search(query: string, more = {}) {
      const body = { ...more, query };
      return told<Schemas["SearchResponse"]>(await whole(reach, (fetch) => client.POST("/v1/search", { body, fetch })));
    },
  };
  return Object.assign(client, added);
}

/** The key without the space around it; one that `fetch` would refuse is not quoted, as it would. */
function sendable(apiKey = ""): string {
  const key = apiKey.trim();
  if (/^[\x20-\x7e]*$/.test(key)) return key;
  const detail = "The API key has characters other than printable ASCII.";
  throw new TriviumError({ code: "bad_setting", detail, action: "Copy it again: a key begins and ends on one line." }, 0);
}

type Reach = (request: Request) => Promise<Response>;

/** `fetch` whose failures to reach the server are ours; one that was stopped stays as it is. */
function reaching(baseUrl: string, fetch: typeof globalThis.fetch): Reach {
  return async (request) => {
    try {
      return await fetch(request);
    } catch (fault) {
      if (!(fault instanceof TypeError)) throw fault;
      const detail = `No Trivium server answers at ${baseUrl}, or it does not let this page ask.`;
      throw new TriviumError({ code: "server_unreachable", detail, action: "Check the address and try again." }, 0, fault);
    }
  };
}

/** What is sent, once its answer has been read: one that breaks off, or is not JSON, is an error of ours. */
async function whole<T>(reach: Reach, send: (fetch: Reach) => Promise<T>): Promise<T> {
  let begun = false; // what cannot even be sent (a bad address, a bad header) stays as it is
  try {
    return await send(async (request) => {
      const response = await reach(request);
      begun = true;
      return response;
    });
  } catch (fault) {
    if (begun && fault instanceof TypeError) throw brokeOff(fault);
    throw fault instanceof SyntaxError ? foreign(fault) : fault;
  }
}

function told<T>(answer: { data?: unknown; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    const problem = typeof answer.error === "object" && answer.error !== null ? answer.error : {};
    throw new TriviumError(problem, answer.response.status);
  }
  return answer.data as T;
}

/** Server-sent events (WHATWG HTML 9.2), until `answer`; an `error` is thrown, and so is a stream that breaks off. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<AnswerEvent> {
  let rest = "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read().catch((fault: unknown) => {
      throw fault instanceof TypeError ? brokeOff(fault) : fault;
    });
    if (done) break;
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const sent = parsed(block);
      if (sent === undefined) continue;
      if (sent.event === "error") {
        const problem = sent.data as Schemas["Problem"];
        throw new TriviumError(problem, problem.status);
      }
      yield sent;
      if (sent.event === "answer") return;
    }
  }
  throw brokeOff();
}

function brokeOff(cause?: unknown): TriviumError {
  const detail = "The answer broke off before its end.";
  return new TriviumError({ code: "connection_lost", detail, action: "Ask again." }, 0, cause);
}

function foreign(cause?: unknown): TriviumError {
  const detail = "The server's answer is not one of Trivium's.";
  return new TriviumError({ code: "foreign_answer", detail, action: "Check the address, and both versions." }, 0, cause);
}

function parsed(block: string): AnswerEvent | undefined {
  const fields = new Map(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  const data = fields.get("data");
  if (data === undefined) return undefined;
  try {
    return { event: fields.get("event") ?? "message", data: JSON.parse(data) };
  } catch (fault) {
    throw foreign(fault);
  }
}
