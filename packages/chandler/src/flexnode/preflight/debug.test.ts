import { expect, test } from 'vitest';
import { type DebugReport, debugJson, debugText } from './debug.ts';

const SAID = 'the proxy http://me:hunter2@proxy.test rejects {"password":"hunter2"}, secret="hunter2"';
const REPORT: DebugReport = {
  status: 'failed',
  checks: [{ name: 'apiserver', severity: 'error', message: SAID, ignored: false, remedy: SAID }],
  summary: { ok: 0, warnings: 0, errors: 1 },
  causes: [],
  excerpts: [{ from: 'journal of kubelet.service', lines: [SAID] }],
};

test('[004-SEC-16] checks and journals that debug prints have no credentials, in text and in JSON', () => {
  expect(debugText(REPORT)).toContain('the proxy http://proxy.test rejects');
  expect(debugText(REPORT)).not.toContain('hunter2');
  const json = debugJson(REPORT);
  expect(json).not.toContain('hunter2');
  expect(JSON.parse(json)).toMatchObject({
    checks: [{ message: expect.stringContaining('rejects {"password":"<redacted>"}') }],
    excerpts: [{ lines: [expect.stringContaining('secret="<redacted>"')] }],
  });
});
