/**
 * What must hold of everything that is shown of a failed bootstrap, whatever its message is: the condition and the event,
 * the launch record and the kept log, and what `why` prints have no secrets; the quoted line is a line of the log, or a
 * part of one, of at most 200 characters.
 */
import {
  CSE_CAUSES,
  type CseFailure,
  cseMessage,
  describeCseFailure,
  logTail,
} from '../../packages/chandler/src/bootstrap/index.ts';
import {
  type Evidence,
  findCauses,
  findingJson,
  findingLine,
  findingText,
} from '../../packages/chandler/src/causes/index.ts';
import { aJoiningClaim, evidence, reading } from '../../packages/chandler/src/causes/testing.ts';
import { appendStages } from '../../packages/chandler/src/journey/index.ts';

/** Put together here, so that no scanner takes them for real ones. */
const TOKEN = ['abcdef', '0123456789abcdef'].join('.');
const JSON_WEB_TOKEN = ['eyJhbGciOiJSUzI1NiJ9', 'eyJzdWIiOiJub2RlIn0', 'c2lnbmF0dXJl'].join('.');
const BLOB = 'TUlJRXBBSUJBQUtDQVFFQXl4N2t2V2Q3c0ZyR3lMMnBpWmJ4OVRxVzRtQjZjWg==';
const HEX_KEY = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const SIGNATURE = 'Zm9vYmFyYmF6cXV4%2Bz8%3D';
const CODE_IN_QUERY = 'Qwerty77unnamed';
const PASSWORD = 'hunter2-hunter2';

/** Found without the name before them, so that a cut cannot uncover them. */
const SECRETS: readonly string[] = [TOKEN, JSON_WEB_TOKEN, BLOB, HEX_KEY];
/** Found by what is before them. */
const NAMED_SECRETS: readonly string[] = [SIGNATURE, CODE_IN_QUERY, PASSWORD];

/** Lines of a log that repeat them; some look like the line that decided it. */
export const SECRET_LINES: readonly string[] = [
  `+ TLS_BOOTSTRAP_TOKEN=${TOKEN}`,
  `error: token ${TOKEN} was rejected`,
  `curl: (22) failed: Authorization: Bearer ${JSON_WEB_TOKEN}`,
  `+ echo ${BLOB}`,
  `E: could not decode ${BLOB}`,
  `failed to unseal with ${HEX_KEY}`,
  `curl: (28) Failed to connect to https://acct.blob.core.windows.net/logs/a.txt?sv=2022-11-02&sig=${SIGNATURE}&se=1`,
  `curl: (22) error 403 of https://packages.example.com/pool/x.deb?code=${CODE_IN_QUERY}`,
  `+ HTTP_PROXY_PASSWORD=${PASSWORD}`,
];

const MAX_LINE_LENGTH = 200;
/** Of the message of an event. */
const MAX_MESSAGE_LENGTH = 1024;
const MAX_LOG_LINES = 40;
const MAX_LOG_BYTES = 4096;

/** Undefined if all of it holds. */
export function outputProblem(failure: CseFailure, text: string, wasCut: boolean): string | undefined {
  const description = describeCseFailure(failure);
  const message = cseMessage(description);
  const log = logTail(failure);
  const outputs: Readonly<Record<string, string>> = {
    failure: JSON.stringify(failure),
    description: JSON.stringify(description),
    'condition and event': message,
    'kept log': log.join('\n'),
    'launch record': appendStages(undefined, [{ name: 'extension', atMs: 0, outcome: 'failed', message }]),
    why: printed(text),
  };
  const secrets = wasCut ? SECRETS : [...SECRETS, ...NAMED_SECRETS];
  for (const [where, output] of Object.entries(outputs))
    for (const secret of secrets) if (output.includes(secret)) return `${where} has the secret ${secret}`;
  if (message.length > MAX_MESSAGE_LENGTH) return `the message has ${message.length} characters`;
  if (log.length > MAX_LOG_LINES) return `the log has ${log.length} lines`;
  if (Buffer.byteLength(log.join('\n')) > MAX_LOG_BYTES) return 'the log is too long';
  return lineProblem(failure, description.line);
}

// ---------------------------------------------------------------------------------------------------

function lineProblem({ output, error, stderr }: CseFailure, line: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  if (line.length > MAX_LINE_LENGTH) return `the line has ${line.length} characters`;
  if (line.includes('\n')) return 'the line has a line break';
  const part = line.replace(/^…|…$/g, '');
  const lines = `${output}\n${error}\n${stderr}`
    .split('\n')
    .map((each) => each.replace(/\p{Cc}|\uffff/gu, ' '));
  return lines.some((each) => each.includes(part)) ? undefined : `not a line of the log: ${line}`;
}

function printed(message: string): string {
  const extension: Evidence = {
    kind: 'extension',
    reading: reading('extension', 'azure'),
    claim: 'default-x7k2p',
    name: 'cse-agent-karpenter',
    state: 'failed',
    message,
    imageId: undefined,
  };
  return findCauses([CSE_CAUSES], evidence([extension, aJoiningClaim(2)]))
    .map(
      (finding) =>
        `${findingText(finding)}\n${findingLine(finding)}\n${JSON.stringify(findingJson(finding))}`,
    )
    .join('\n');
}
