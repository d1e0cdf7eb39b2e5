import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { fromErrorObject, fromResponse, toArmError } from './arm-error.ts';

const TOKEN = 'abc123.0123456789abcdef';
const CUSTOM_DATA = Buffer.from(
  `#!/bin/bash\nTLS_BOOTSTRAP_TOKEN="${TOKEN}"\n${'set -x # ABC 123\n'.repeat(40)}`,
).toString('base64');

test.each([
  ['a bootstrap token in the trace of a script', `+ TLS_BOOTSTRAP_TOKEN=${TOKEN}`, TOKEN],
  ['custom data of the request', `could not read {"customData":"${CUSTOM_DATA}"}`, CUSTOM_DATA.slice(0, 40)],
  ['a bearer token', 'Authorization: Bearer eyJhbGciOi.eyJhdWQiOi.c2ln', 'eyJhdWQiOi'],
  ['an account key', 'cannot use AccountName=a;AccountKey=hunter2xyz==;EndpointSuffix=b', 'hunter2'],
  ['a variable in the trace of a script', '+ AWS_SECRET_ACCESS_KEY=hunter2xyz', 'hunter2'],
  ['a signed address', 'https://x.blob.core.windows.net/y?sv=1&sig=aBc%2Fd%3D&se=2', 'aBc%2Fd'],
])('%s does not come back up in an error', (_, message, secret) => {
  const errors = [
    fromResponse({ status: 400, text: JSON.stringify({ error: { code: 'Bad', message } }) }),
    fromResponse({
      status: 400,
      text: JSON.stringify({ error: { code: 'A', message: 'x', details: [{ code: 'B', message }] } }),
    }),
    fromResponse({ status: 502, text: message }),
    fromErrorObject({ code: 'VMExtensionProvisioningError', message }, 'Failed'),
    toArmError(Object.assign(new Error(message), { statusCode: 400, code: 'Bad' })),
  ];
  for (const error of errors) {
    expect(inspect(error, { depth: 9 })).not.toContain(secret);
    expect(error.text).not.toContain(secret);
    expect(error.text).toContain('[redacted]');
  }
});

test('the rest stays: codes, ids, exit codes', () => {
  const id = `/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/${'g'.repeat(80)}/providers/Microsoft.Compute/virtualMachines/aks-a`;
  const message = `exit status=50 ${TOKEN} of ${id}`;
  const { text } = fromErrorObject({ code: 'C', message }, 'F');
  expect(text).toBe(`C: exit status=50 [redacted] of ${id}`);
  expect(fromErrorObject({ code: 'C', message: 'y'.repeat(5000) }, 'F').message).toHaveLength(5000);
});
