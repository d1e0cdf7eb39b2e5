/**
 * Protobuf bodies, which Go clients send by default for built-in kinds: from their bytes to the JSON value that says
 * the same. Only reading: answers are JSON, which the same clients accept.
 */
import { badRequest } from '../../errors.ts';
import { setField } from '../../storage/json.ts';
import { rowOf } from '../../table-row.ts';
import { PACKED_MESSAGES } from './fields.gen.ts';

export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** Undefined for a kind that has no protobuf form (custom resources). */
export function decodeProtobuf(bytes: Buffer, expected: { apiVersion: string; kind: string }): unknown {
  if (bytes.length < MAGIC.length || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): couldn't get version/kind; provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (${summary(bytes)})`,
    );
  }
  try {
    const envelope = new Reader(bytes.subarray(MAGIC.length)).message(UNKNOWN) as Envelope;
    const apiVersion = envelope.typeMeta?.apiVersion || expected.apiVersion;
    const kind = envelope.typeMeta?.kind || expected.kind;
    const message = messageOf(apiVersion, kind);
    if (message === undefined) return undefined;
    const object = new Reader(envelope.raw ?? Buffer.alloc(0)).message(message) as Record<string, unknown>;
    return { kind, apiVersion, ...object };
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    throw badRequest(
      `${expected.kind} in version ${JSON.stringify(expected.apiVersion)} cannot be handled as a ${expected.kind}: ${error.message}`,
    );
  }
}

// ---------------------------------------------------------------------------------------------------

const MAGIC = Buffer.from('k8s\0');

interface Envelope {
  readonly typeMeta?: { readonly apiVersion?: string; readonly kind?: string };
  readonly raw?: Buffer;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly repeated: boolean;
  readonly map: boolean;
  /** Its own fields stand in its place. */
  readonly inline: boolean;
}

type Message = ReadonlyMap<number, Field>;

class MalformedError extends Error {}

const TYPE_META: Message = new Map([
  [1, { name: 'apiVersion', type: 'string', repeated: false, map: false, inline: false }],
  [2, { name: 'kind', type: 'string', repeated: false, map: false, inline: false }],
]);
const UNKNOWN: Message = new Map([
  [1, { name: 'typeMeta', type: '#TypeMeta', repeated: false, map: false, inline: false }],
  [2, { name: 'raw', type: '#raw', repeated: false, map: false, inline: false }],
]);

const unpacked = new Map<string, Message>([['#TypeMeta', TYPE_META]]);

function messageNamed(name: string): Message | undefined {
  const known = unpacked.get(name);
  if (known !== undefined) return known;
  const packed = rowOf(PACKED_MESSAGES, name);
  if (packed === undefined) return undefined;
  const message = new Map(
    packed
      .split(',')
      .filter((text) => text !== '')
      .map(fieldOf),
  );
  unpacked.set(name, message);
  return message;
}

function fieldOf(text: string): [number, Field] {
  const [number, name, type] = text.split(' ') as [string, string, string];
  const inline = name.startsWith('!');
  const repeated = type.startsWith('*');
  const map = type.startsWith('{');
  return [
    Number(number),
    {
      name: inline ? name.slice(1) : name,
      type: repeated || map ? type.slice(1) : type,
      repeated,
      map,
      inline,
    },
  ];
}

/** `apps/v1 Deployment` is the message apps.v1.Deployment; groups lose their domain. */
function messageOf(apiVersion: string, kind: string): Message | undefined {
  if (kind === 'DeleteOptions') return messageNamed('~apis.meta.v1.DeleteOptions');
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return messageNamed(`${group!.split('.')[0]}.${version}.${kind}`);
}

/** Types whose JSON is not an object of their fields. */
const SPECIAL: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  '~api.resource.Quantity': (bytes) => numbered(bytes).get(1)?.toString('utf8') ?? '0',
  '~apis.meta.v1.Time': (bytes) => timeOf(bytes, 0),
  '~apis.meta.v1.MicroTime': (bytes) => timeOf(bytes, 6),
  '~apis.meta.v1.Duration': (bytes) => `${Number(varints(bytes).get(1) ?? 0n) / 1e9}s`,
  '~apis.meta.v1.FieldsV1': (bytes) => rawJson(bytes),
  '~runtime.RawExtension': (bytes) => rawJson(bytes),
  '~util.intstr.IntOrString': (bytes) => {
    const numbers = varints(bytes);
    return numbers.get(1) === 1n
      ? (numbered(bytes).get(3)?.toString('utf8') ?? '')
      : Number(numbers.get(2) ?? 0n);
  },
};

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  message(message: Message): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    while (!this.done) {
      const { number, wire } = this.tag();
      const field = message.get(number);
      if (field === undefined) this.skip(wire);
      else this.#put(object, field, wire);
    }
    return object;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  tag(): { number: number; wire: number } {
    const tag = Number(this.varint());
    return { number: tag >>> 3, wire: tag & 7 };
  }

  varint(): bigint {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new MalformedError('unexpected EOF');
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, result);
    }
    throw new MalformedError('proto: integer overflow');
  }

  bytes(): Buffer {
    const length = Number(this.varint());
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new MalformedError('unexpected EOF');
    const found = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return found;
  }

  skip(wire: number): void {
    if (wire === 0) this.varint();
    else if (wire === 2) this.bytes();
    else if (wire === 1 || wire === 5) this.#fixed(wire);
    else throw new MalformedError(`proto: illegal wireType ${wire}`);
  }

  #fixed(wire: number): Buffer {
    const length = wire === 1 ? 8 : 4;
    const found = this.#bytes.subarray(this.#at, this.#at + length);
    if (found.length < length) throw new MalformedError('unexpected EOF');
    this.#at += length;
    return found;
  }

  #put(object: Record<string, unknown>, field: Field, wire: number): void {
    if (field.map) {
      this.#putEntry(object, field);
      return;
    }
    const value = this.#value(field.type, wire);
    if (field.inline) Object.assign(object, value);
    else if (!field.repeated) object[field.name] = value;
    else if (Array.isArray(object[field.name])) (object[field.name] as unknown[]).push(value);
    else object[field.name] = [value];
  }

  #putEntry(object: Record<string, unknown>, field: Field): void {
    const entry = new Reader(this.bytes());
    let key = '';
    let value: unknown = field.type === 'string' || field.type === 'bytes' ? '' : {};
    while (!entry.done) {
      const { number, wire } = entry.tag();
      if (number === 1) key = entry.bytes().toString('utf8');
      else if (number === 2) value = entry.#value(field.type, wire);
      else entry.skip(wire);
    }
    const map = (object[field.name] ?? {}) as Record<string, unknown>;
    setField(map, key, value);
    object[field.name] = map;
  }

  #value(type: string, wire: number): unknown {
    switch (type) {
      case 'string':
        return this.bytes().toString('utf8');
      case 'bytes':
        return this.bytes().toString('base64');
      case '#raw':
        return this.bytes();
      case 'bool':
        return this.varint() !== 0n;
      case 'double':
        return this.#fixed(wire).readDoubleLE(0);
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64':
        return Number(this.varint());
      default:
        return nested(type, this.bytes());
    }
  }
}

function nested(type: string, bytes: Buffer): unknown {
  const special = rowOf(SPECIAL, type);
  if (special !== undefined) return special(bytes);
  const message = messageNamed(type);
  if (message === undefined) throw new MalformedError(`proto: unknown message ${type}`);
  const value = new Reader(bytes).message(message);
  return type.endsWith('.ExtraValue') ? (value['items'] ?? []) : value;
}

/** The fields of a message that hold bytes, by number. */
function numbered(bytes: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  const reader = new Reader(bytes);
  while (!reader.done) {
    const { number, wire } = reader.tag();
    if (wire === 2) found.set(number, reader.bytes());
    else reader.skip(wire);
  }
  return found;
}

function varints(bytes: Buffer): Map<number, bigint> {
  const found = new Map<number, bigint>();
  const reader = new Reader(bytes);
  while (!reader.done) {
    const { number, wire } = reader.tag();
    if (wire === 0) found.set(number, reader.varint());
    else reader.skip(wire);
  }
  return found;
}

/** The zero time is written as nothing, and is null in JSON. */
function timeOf(bytes: Buffer, digits: number): string | null {
  const numbers = varints(bytes);
  const seconds = numbers.get(1);
  if (seconds === undefined) return null;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (digits === 0) return `${whole}Z`;
  const micros = Math.floor(Number(numbers.get(2) ?? 0n) / 1000);
  return `${whole}.${String(micros).padStart(digits, '0')}Z`;
}

function rawJson(bytes: Buffer): unknown {
  const raw = numbered(bytes).get(1);
  if (raw === undefined || raw.length === 0) return null;
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    throw new MalformedError('a raw extension holds no JSON');
  }
}

function summary(bytes: Buffer): string {
  return bytes.length === 0 ? '<empty>' : bytes.subarray(0, 30).toString('hex');
}
