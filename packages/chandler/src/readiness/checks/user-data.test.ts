import { expect, test } from 'vitest';
import { judgeUserData } from './user-data.ts';

const SECRET = 'It contains a secret, which everybody can read who may describe the instance.';
const doubtsOf = (text: string) => judgeUserData(text, 'AL2023').doubts;

test.each([
  '#!/bin/bash\ncat <<EOF | chpasswd\nroot:one-Two3\nEOF\n',
  '#!/bin/bash\nchpasswd <<EOF\n\nroot:one-Two3\nEOF\n',
  '#cloud-config\nchpasswd:\n  list: |\n    root:Hunter2xyz\n',
  '#!/bin/bash\ncurl -u 1000:1234 https://x.example/\n',
  '#!/bin/bash\ncurl --user "joe:pw" https://x.example/\n',
  '#!/bin/bash\ncurl -sf https://x.example/ \\\n  -u 1000:1234\n',
  '#!/bin/bash\nfetch -u 1000:87654321 https://x.example/\n',
])('user data that sets or sends a password contains a secret: %j', (text) => {
  expect(doubtsOf(text)).toContain(SECRET);
});

test.each([
  '#!/bin/bash\ndocker run -u 1000:1000 -v /x:/y app\n',
  '#!/bin/bash\ndocker run --user=1000:1000 app\n',
  '#!/bin/bash\ndocker run --name mysql -p 3306:3306 mysql:8\n',
  '#!/bin/bash\ndate -u +%H:%M\n',
  '#!/bin/bash\nyum install -y curl && date -u "+%Y-%m-%dT%H:%M:%SZ" > /etc/built\n',
  '#!/bin/bash\ncurl -o /tmp/x-$(date -u +%H:%M).tgz https://x.example/x.tgz\n',
  '#!/bin/bash\ncurl -sf https://x.example/y | sh; docker run -u 1000:1000 app\n',
  '#!/bin/bash\ndate -u "+%Y-%m-%dT%H:%M:%SZ" > /etc/built\n',
  '#!/bin/bash\njournalctl -u kubelet\n',
  '#!/bin/bash\ncat <<EOF | tee /etc/motd\nhello: world\nEOF\n',
])('user data with the number of a user or the format of a date contains none: %j', (text) => {
  expect(doubtsOf(text)).not.toContain(SECRET);
});
