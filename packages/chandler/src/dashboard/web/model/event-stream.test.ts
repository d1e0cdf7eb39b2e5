import { expect, test } from 'vitest';
import { EventStreamReader } from './event-stream.ts';

const STREAM =
  ': heartbeat\n\nid: e:5\nevent: changes\ndata: [1,\ndata: 2]\n\nevent: reset\r\ndata: {}\r\n\r\ndata:x\n\n';
const EVENTS = [
  { id: 'e:5', event: 'changes', data: '[1,\n2]' },
  { id: 'e:5', event: 'reset', data: '{}' },
  { id: 'e:5', event: 'message', data: 'x' },
];

test('events are the same however the text is cut', () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const reader = new EventStreamReader();
    const events = [];
    for (let at = 0; at < STREAM.length; at += size) events.push(...reader.read(STREAM.slice(at, at + size)));
    expect(events).toEqual(EVENTS);
  }
});
