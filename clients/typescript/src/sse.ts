/** Server-sent events, read from text as it arrives. */

/** Event of a stream: its name, its data, and the id to resume from once it was handled. */
export interface ServerSentEvent {
  event: string;
  data: string;
  id?: string;
}

/** Reader of one connection. Lines end in LF, CR or CRLF and nowhere else. */
export class EventReader {
  private rest = '';
  private name = '';
  private data: string[] = [];
  private id: string | undefined;

  /** Returns the events that this chunk completes. */
  feed(chunk: string): ServerSentEvent[] {
    let text = this.rest + chunk;
    // A CR at the end may be the first half of a CRLF.
    const held = text.endsWith('\r') ? '\r' : '';
    text = text.slice(0, text.length - held.length);
    const lines = text.split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? '') + held;
    return lines.map((line) => this.line(line)).filter((event) => event !== undefined);
  }

  private line(line: string): ServerSentEvent | undefined {
    if (line === '') return this.complete();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.name = value;
    else if (name === 'data') this.data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.id = value;
    return undefined;
  }

  private complete(): ServerSentEvent | undefined {
    const event: ServerSentEvent = { event: this.name || 'message', data: this.data.join('\n') };
    if (this.id !== undefined) event.id = this.id;
    const complete = this.data.length > 0;
    [this.name, this.data, this.id] = ['', [], undefined];
    return complete ? event : undefined;
  }
}
