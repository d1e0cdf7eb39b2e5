import { expect, test } from 'vitest';
import { EvidenceRecorder } from './evidence-recorder.ts';

test('passwords that a script printed on the console are removed before a log is kept', () => {
  const recorder = new EvidenceRecorder('azure', 0);
  recorder.add({
    kind: 'serialLog',
    reading: recorder.reading('serial log of vm'),
    claim: 'default-x7k2p',
    text: [
      '+ curl -u admin:S3cr3tP@ss https://reg.corp/v2/: Could not resolve host',
      '+ docker login -u bob -p hunter2xyz reg.corp',
      'client 3aB8Q~abcdefghijklmnopqrstuvwxyz0123456',
      'token k8s-aws-v1.aHR0cHM6Ly9zdHMuYW1hem9uYXdz',
    ].join('\n'),
    imageId: undefined,
  });
  const text = recorder.evidence().first('serialLog')?.text ?? '';
  expect(text).toContain('Could not resolve host');
  for (const secret of ['S3cr3t', 'hunter2', '8Q~abc', 'aHR0c']) expect(text).not.toContain(secret);
});

test('passwords that a container printed are removed before its last lines are kept', () => {
  const recorder = new EvidenceRecorder('azure', 0);
  recorder.add({
    kind: 'containerLog',
    reading: recorder.reading('log of shop/backup'),
    pod: 'shop/backup',
    container: 'backup',
    previous: true,
    text: '+ mysqldump -h db -uroot -psecret1 shop\n+ sshpass -p hunter2 ssh db\nmysqldump: Unknown database',
  });
  const text = recorder.evidence().first('containerLog')?.text ?? '';
  expect(text).toContain('Unknown database');
  for (const secret of ['secret1', 'hunter2']) expect(text).not.toContain(secret);
});
