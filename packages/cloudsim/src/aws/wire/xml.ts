/** Answers as XML: EC2's by its shapes, IAM's and STS's by the names of the SDKs with `<member>` in lists. */
import { type MemberType, membersOf } from './shapes.ts';

export function ec2Xml(action: string, shape: string, value: unknown, requestId: string): string {
  const body =
    shape === '' ? '<return>true</return>' : structure(shape, (value ?? {}) as Record<string, unknown>);
  return (
    `${DECLARATION}<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">` +
    `<requestId>${requestId}</requestId>${body}</${action}Response>`
  );
}

export function ec2ErrorXml(code: string, message: string, requestId: string): string {
  return (
    `${DECLARATION}<Response><Errors><Error><Code>${escaped(code)}</Code><Message>${escaped(message)}</Message>` +
    `</Error></Errors><RequestID>${requestId}</RequestID></Response>`
  );
}

export function queryXml(namespace: string, action: string, value: unknown, requestId: string): string {
  const result =
    value === undefined
      ? ''
      : `<${action}Result>${fields(value as Record<string, unknown>)}</${action}Result>`;
  return (
    `<${action}Response xmlns="${namespace}">${result}` +
    `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></${action}Response>`
  );
}

export function queryErrorXml(
  namespace: string,
  error: { readonly code: string; readonly message: string; readonly fault: string },
  requestId: string,
): string {
  return (
    `<ErrorResponse xmlns="${namespace}"><Error><Type>${error.fault}</Type><Code>${escaped(error.code)}</Code>` +
    `<Message>${escaped(error.message)}</Message></Error><RequestId>${requestId}</RequestId></ErrorResponse>`
  );
}

export function escaped(text: string): string {
  return text.replace(/[&<>"'\r]/g, (sign) => ENTITIES[sign]!);
}

// ---------------------------------------------------------------------------------------------------

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#xD;',
};

/** Members without a value are left out; a value that the shape does not have is a mistake of the simulator. */
function structure(shape: string, value: Readonly<Record<string, unknown>>): string {
  const members = membersOf(shape);
  let text = '';
  for (const { name, xmlName, type } of members) {
    const given = value[name];
    if (given !== undefined && given !== null) text += element(xmlName, given, type);
  }
  for (const name of Object.keys(value))
    if (value[name] !== undefined && !members.some((member) => member.name === name))
      throw new Error(`the shape ${shape} has no member ${name}`);
  return text;
}

function element(name: string, value: unknown, type: MemberType): string {
  if (type.kind === 'structure')
    return `<${name}>${structure(type.shape, value as Record<string, unknown>)}</${name}>`;
  if (type.kind === 'list') {
    const elements = (value as readonly unknown[]).map((each) => element(type.element, each, type.of));
    return elements.length === 0 ? `<${name}/>` : `<${name}>${elements.join('')}</${name}>`;
  }
  return `<${name}>${escaped(scalarText(value))}</${name}>`;
}

function fields(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `<${name}>${content(each)}</${name}>`)
    .join('');
}

function content(value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => `<member>${content(each)}</member>`).join('');
  if (typeof value === 'object' && value !== null && !(value instanceof Date))
    return fields(value as Record<string, unknown>);
  return escaped(scalarText(value));
}

function scalarText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
