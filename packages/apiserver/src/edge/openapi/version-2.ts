/**
 * OpenAPI v2, without any kind: clients take kinds from v3. kubectl and helm read this document for a kind that the server
 * does not have, and report that kind only when there is a document; without one they report that "the server could not
 * find the requested resource".
 */
export function openApiV2Answer(accept: string): {
  readonly contentType: string;
  readonly body: object | string;
} {
  return accept.includes('proto-openapi')
    ? { contentType: PROTOBUF_TYPE, body: PROTOBUF }
    : { contentType: 'application/json', body: DOCUMENT };
}

// ---------------------------------------------------------------------------------------------------

const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const DOCUMENT = { swagger: '2.0', info: { title: 'Kubernetes', version: 'v1.36.0' }, paths: {} };

/** The same document: swagger is field 1, info field 2 (title 1, version 2), paths field 8. All bytes are ASCII. */
const PROTOBUF =
  field(1, DOCUMENT.swagger) +
  field(2, field(1, DOCUMENT.info.title) + field(2, DOCUMENT.info.version)) +
  field(8, '');

function field(number: number, value: string): string {
  return String.fromCharCode(number * 8 + 2, value.length) + value;
}
