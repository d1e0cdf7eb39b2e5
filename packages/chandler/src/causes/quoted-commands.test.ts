import { HIDDEN } from '@chandler/kube';
import { expect, test } from 'vitest';
import { withoutContainerSecrets } from './quoted-commands.ts';

test.each([
  [
    'a probe that timed out',
    'Readiness probe failed: command timed out: "/bin/sh -c redis-cli -a hunter2hunter ping" timed out after 1s',
    'Readiness probe failed: command timed out: "/bin/sh -c redis-cli …" timed out after 1s',
  ],
  [
    'a probe that timed out, as older kubelets say it',
    'Readiness probe failed: command "nosqlclient --user a --word hunter2hunter" timed out',
    'Readiness probe failed: command "nosqlclient …" timed out',
  ],
  [
    'a probe of a shell that begins with a variable',
    'Liveness probe failed: command "bash -ec WORD=hunter2hunter client ping" timed out',
    'Liveness probe failed: command "bash -ec …" timed out',
  ],
  [
    'a probe with quotes in its command',
    'Liveness probe failed: command "sh -c \\"client \\\\\\"hunter2 hunter\\\\\\"\\" && true" timed out',
    'Liveness probe failed: command "sh -c …" timed out',
  ],
  [
    'a probe of which the message is cut',
    'Liveness probe failed: command timed out: "client --word hunter2hunter --and',
    'Liveness probe failed: command timed out: "client …',
  ],
  [
    'a command that is one word with arguments, and its second copy',
    'Error: exec: "/bin/app --word hunter2hunter": stat /bin/app --word hunter2hunter: no such file or directory: unknown',
    'Error: exec: "/bin/app …": stat /bin/app …: no such file or directory: unknown',
  ],
  [
    'a command in a message that is quoted itself',
    'caused "exec: \\"mysqld --word hunter2hunter\\": executable file not found in $PATH": unknown',
    'caused "exec: \\"mysqld …\\": executable file not found in $PATH": unknown',
  ],
  [
    'a command of crun',
    'crun: executable file `client --word hunter2hunter` not found in $PATH: No such file or directory',
    'crun: executable file `client …` not found in $PATH: No such file or directory',
  ],
  [
    'a command of Windows',
    'hcsshim: extra info: {"CommandLine":"powershell -Command \\"x hunter2hunter\\"","User":"a"}',
    'hcsshim: extra info: {"CommandLine":"powershell …","User":"a"}',
  ],
  [
    'a hook',
    `Exec lifecycle hook ([/bin/sh -c vault login hunter2hunter]) for Container "app" in Pod "web" failed - error: command '/bin/sh -c vault login hunter2hunter' exited with 1: , message: "denied"`,
    `Exec lifecycle hook ([/bin/sh -c vault …]) for Container "app" in Pod "web" failed - error: command '/bin/sh -c vault …' exited with 1: , message: "denied"`,
  ],
  [
    'a hook with quotes and lines',
    `PostStartHook failed: command 'sh -c client -x'hunter2'\nclient hunter3' exited with 1: denied`,
    `PostStartHook failed: command 'sh -c client …' exited with 1: denied`,
  ],
  [
    'what a program printed, beside its command',
    'command "sh -c x y" timed out; + docker login -u pull -p hunter2 x.io',
    `command "sh -c x …" timed out; + docker login -u pull -p ${HIDDEN} x.io`,
  ],
])('of %s the program is shown, and not its arguments', (_, said, shown) => {
  expect(withoutContainerSecrets(said)).toBe(shown);
  expect(withoutContainerSecrets(shown)).toBe(shown);
});

test.each([
  'exec: "serve": executable file not found in $PATH',
  'exec: "/app/run": stat /app/run: no such file or directory: unknown',
  'exec: "/entrypoint.sh": permission denied',
  'exec /app: exec format error',
  'failed to exec in container: failed to start exec "9f86": container is stopped',
  'Startup probe failed: cat: /tmp/ready: No such file or directory',
  `error: command 'migrate' is not known, see 'app help'`,
  'the command "a b" is deprecated',
  'HTTP probe failed with statuscode: 503',
])('what quotes no arguments stays: %s', (said) => {
  expect(withoutContainerSecrets(said)).toBe(said);
});

test('long messages are searched in a time that grows with their length', () => {
  for (const part of [
    'command "a ',
    `command 'a `,
    'exec: "a ',
    'exec: \\"a ',
    'Exec lifecycle hook ([a ',
    'executable file `a ',
    'exec: "a b": stat ',
    '"CommandLine":"a ',
    '\\',
  ]) {
    const line = part.repeat(3_000);
    expect(withoutContainerSecrets(line).length).toBeGreaterThan(0);
  }
});
