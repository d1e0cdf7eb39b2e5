import { HIDDEN } from '@chandler/kube';
import { expect, test } from 'vitest';
import { withoutLogSecrets } from './log-secrets.ts';

const BLOB = 'TUlJRXBBSUJBQUtDQVFFQXl4N2t2V2Q3c0ZyR3lMMnBpWmJ4OVRxVzRtQjZjWg==';
const COMMIT = '3f2a9c0d1e4b5a69788796a5b4c3d2e1f0a9b8c7';
const KEY = '9f86d081'.repeat(8);

test.each([
  [
    'the query of an address',
    'GET https://x.example/a/b.tgz?se=1&sp=r failed',
    `GET https://x.example/a/b.tgz?${HIDDEN} failed`,
  ],
  [
    'a variable with an ampersand',
    '+ REDISCLI_AUTH=Ab1&cd,2xyz redis-cli ping',
    `+ REDISCLI_AUTH=${HIDDEN} redis-cli ping`,
  ],
  ['a variable before a parameter', 'APP_AUTH=abcd1,user=me', `APP_AUTH=${HIDDEN},user=me`],
  ['an encoded file', `+ echo ${BLOB} | base64 -d`, `+ echo ${HIDDEN} | base64 -d`],
  ['a key in hexadecimal', `key ${'9f86d081'.repeat(8)} is used`, `key ${HIDDEN} is used`],
  ['a key before another name', `${'9f86d081'.repeat(4)}.gr7.example.com`, `${HIDDEN}.gr7.example.com`],
  ['a key behind a hyphen', `seal-${'9f86d081'.repeat(8)} is used`, `seal-${HIDDEN} is used`],
  [
    'the password of a login',
    '+ docker login -u pull -p hunter2 x.io',
    `+ docker login -u pull -p ${HIDDEN} x.io`,
  ],
  [
    'a quoted password of a login',
    "+ az login -u app -p 'a b' --tenant t",
    `+ az login -u app -p ${HIDDEN} --tenant t`,
  ],
  ['a password without a space', '+ mysql -u root -phunter2 aks', `+ mysql -u root -p${HIDDEN} aks`],
  ['a coloured password', '+ sshpass -p hun\u001b[1mter2\u001b[0m ssh', `+ sshpass -p ${HIDDEN} ssh`],
  [
    'a password in quotes in a string',
    String.raw`{"m":"fetch -u joe -p \"hunter two\" x.io"}`,
    `{"m":"fetch -u joe -p ${HIDDEN} x.io"}`,
  ],
  ['a password behind =', '+ fetch -u joe -p=hunter2 x.io', `+ fetch -u joe -p=${HIDDEN} x.io`],
  ['a password of ssh', '+ sshpass -p hunter2 ssh node', `+ sshpass -p ${HIDDEN} ssh node`],
  ['a password of curl', '+ curl -u pull:hunter2 https://x.io/', `+ curl -u pull:${HIDDEN} https://x.io/`],
  [
    'a quoted password of curl',
    "+ curl -u 'pull:a b' https://x.io/",
    `+ curl -u 'pull:${HIDDEN}' https://x.io/`,
  ],
  ['a password for a proxy', '+ curl --proxy-user=me:hunter2 x.io', `+ curl --proxy-user=me:${HIDDEN} x.io`],
  [
    'a client secret',
    `+ echo ${['aB1', '8Q~xY.z_', 'w-12ab~cd.EF_34gh-ij~KL.mn'].join('')}`,
    `+ echo ${HIDDEN}`,
  ],
  [
    'the credentials of a registry',
    '{"auths":{"reg.corp":{"auth":"Ym9iOmh1bnRlcjI="}}}',
    `{"auths":{"reg.corp":{"auth":"${HIDDEN}"}}}`,
  ],
  ['a password for chpasswd', '+ echo joe:MyPlainPw1 | chpasswd', `+ echo joe:${HIDDEN} | chpasswd`],
  [
    'a quoted password for chpasswd',
    '+ echo "joe:My+Pw1" | sudo chpasswd',
    `+ echo "joe:${HIDDEN}" | sudo chpasswd`,
  ],
  [
    'a password with a space for chpasswd',
    '+ echo "joe:My Pw1" | chpasswd',
    `+ echo "joe:${HIDDEN}" | chpasswd`,
  ],
  [
    'a password that other programs pass on to chpasswd',
    "+ printf 'joe:pw\\n' | tee -a log | sudo -n /usr/sbin/chpasswd -e",
    `+ printf 'joe:${HIDDEN}' | tee -a log | sudo -n /usr/sbin/chpasswd -e`,
  ],
  ['a document for chpasswd', 'chpasswd <<EOF\njoe:MyPw1\nEOF', `chpasswd <<EOF\njoe:${HIDDEN}\nEOF`],
  [
    'a document for chpasswd with several users',
    'chpasswd <<EOF\njoe:MyPw1\nann:My Pw2\nEOF\necho done: 1',
    `chpasswd <<EOF\njoe:${HIDDEN}\nann:${HIDDEN}\nEOF\necho done: 1`,
  ],
  ['a password of digits', '+ curl -u 1000:1234 https://x.io', `+ curl -u 1000:${HIDDEN} https://x.io`],
  [
    'a password of digits in the second line of a command',
    'curl -sf https://x.io \\\n  -u 1000:1234',
    `curl -sf https://x.io \\\n  -u 1000:${HIDDEN}`,
  ],
  [
    'a password of many digits',
    '+ fetch -u 1000:87654321 https://x.io',
    `+ fetch -u 1000:${HIDDEN} https://x.io`,
  ],
  ['a substitution for chpasswd', '+ chpasswd < <(echo joe:MyPw1)', `+ chpasswd < <(echo joe:${HIDDEN})`],
  [
    'a document for chpasswd with an empty line',
    'chpasswd <<EOF\njoe:MyPw1\n\nann:My Pw2\nEOF\necho done: 1',
    `chpasswd <<EOF\njoe:${HIDDEN}\n\nann:${HIDDEN}\nEOF\necho done: 1`,
  ],
  [
    'a document that cat passes on to chpasswd',
    "cat <<'EOF' | sudo chpasswd -e\njoe:MyPw1\n\nann:My Pw2\nEOF\necho done: 1",
    `cat <<'EOF' | sudo chpasswd -e\njoe:${HIDDEN}\n\nann:${HIDDEN}\nEOF\necho done: 1`,
  ],
  [
    'a list of cloud-config for chpasswd',
    '#cloud-config\nchpasswd:\n  expire: false\n  list: |\n    joe:MyPw1\n\n    ann:My Pw2\nruncmd:\n  - echo done: 1',
    `#cloud-config\nchpasswd:\n  expire: false\n  list: |\n    joe:${HIDDEN}\n\n    ann:${HIDDEN}\nruncmd:\n  - echo done: 1`,
  ],
  [
    'a list of cloud-config for chpasswd, before other keys',
    'chpasswd:\n  list:\n    - joe:MyPw1\n    - "ann:My Pw2"\n  expire: false',
    `chpasswd:\n  list:\n    - joe:${HIDDEN}\n    - "ann:${HIDDEN}\n  expire: false`,
  ],
  ['a quoted word for chpasswd with a space', "chpasswd <<< 'joe:My Pw'", `chpasswd <<< 'joe:${HIDDEN}'`],
  [
    'a password for passwd --stdin',
    '+ echo MyPw1 | sudo passwd --stdin joe',
    `+ echo ${HIDDEN} | sudo passwd --stdin joe`,
  ],
  ['a password of MySQL', '+ mysql -uroot -psecret1 aks', `+ mysql -uroot -p${HIDDEN} aks`],
  ['a password of Redis', '+ redis-cli -h db -a hunter2 ping', `+ redis-cli -h db -a ${HIDDEN} ping`],
  ['a quoted password of Redis', "+ redis-cli -a 'hun ter2' ping", `+ redis-cli -a ${HIDDEN} ping`],
  [
    'a password of Redis in a variable',
    '+ REDISCLI_AUTH=hunter2hunter redis-cli ping',
    `+ REDISCLI_AUTH=${HIDDEN} redis-cli ping`,
  ],
  ['a user and password in a variable', '+ NEO4J_AUTH=neo4j/hunter2', `+ NEO4J_AUTH=${HIDDEN}`],
  ['a login of npm', '//registry.example/:_auth=Ym9iOmh1bg==', `//registry.example/:_auth=${HIDDEN}`],
  [
    'a password of LDAP',
    '+ ldapsearch -x -D cn=admin -w hunter2 -b dc=shop',
    `+ ldapsearch -x -D cn=admin -w ${HIDDEN} -b dc=shop`,
  ],
  [
    'a password of SQL Server',
    '+ /opt/mssql-tools/bin/sqlcmd -S db -U sa -P Hunter2 -Q x',
    `+ /opt/mssql-tools/bin/sqlcmd -S db -U sa -P ${HIDDEN} -Q x`,
  ],
  [
    'a password in an address of a Go driver',
    'panic: dial root:hunter2@tcp(db:3306)/shop',
    `panic: dial root:${HIDDEN}@tcp(db:3306)/shop`,
  ],
  [
    'a password with an at sign in an address of a Go driver',
    'root:hun@ter2@unix(/run/mysqld.sock)/shop',
    `root:${HIDDEN}@unix(/run/mysqld.sock)/shop`,
  ],
  [
    'a token of Vault',
    `vault login ${['hvs', 'CAESIJabcdefghijklmnopqrstuv'].join('.')}`,
    `vault login ${HIDDEN}`,
  ],
  [
    'a key of OpenAI',
    `401 for ${['sk-proj', 'abcdefghijklmnopqrstuvwxyz012345'].join('-')}`,
    `401 for ${HIDDEN}`,
  ],
  ['a key of Stripe', `using ${['sk', 'live', 'abcdefghijklmnop1234'].join('_')}`, `using ${HIDDEN}`],
  ['a token of Docker', `with ${['dckr', 'pat', 'abcdefghijklmnopqrst_uvw'].join('_')}`, `with ${HIDDEN}`],
  ['a token of GitLab', `+ echo ${['glpat', 'abcdefghijklmnopqrst'].join('-')}`, `+ echo ${HIDDEN}`],
  [
    'a token of npm',
    `+ echo ${['npm', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_')}`,
    `+ echo ${HIDDEN}`,
  ],
  ['a token of Slack', `+ echo ${['xoxb', '123456789012', 'abcdefghijkl'].join('-')}`, `+ echo ${HIDDEN}`],
  [
    'the address of a webhook of Slack',
    'POST https://hooks.slack.com/services/T0/B0/abcdefgh',
    `POST https://hooks.slack.com/services/${HIDDEN}`,
  ],
  ['a key of Google', `key ${['AIza', 'SyA1234567890abcdefghijklmnopqrstuv'].join('')}`, `key ${HIDDEN}`],
  ['a session', 'Set-Cookie: session=abcdef; Path=/', `Set-Cookie: ${HIDDEN}`],
  ['the secret of Rails', 'SECRET_KEY_BASE=abcdef', `SECRET_KEY_BASE=${HIDDEN}`],
  ['the password of Redis', 'redis-server --requirepass abcdef', `redis-server --requirepass ${HIDDEN}`],
  ['a password of LDAP', 'bindpw=abcdef', `bindpw=${HIDDEN}`],
  ['a bootstrap token', `token ${['abcdef', '0123456789abcdef'].join('.')}`, `token ${HIDDEN}`],
  [
    'a user and password in the name of an image',
    `couldn't parse image name "https://joe:${KEY}@reg.example/app:1"`,
    `couldn't parse image name "https://${HIDDEN}@reg.example/app:1"`,
  ],
  [
    'a password in the name of an image without a scheme',
    `couldn't parse image name "joe:${KEY}@reg.example/app:1"`,
    `couldn't parse image name "joe:${HIDDEN}@reg.example/app:1"`,
  ],
  [
    'a key that is quoted as an image, without a repository and a tag',
    `failed to load image "${KEY}"`,
    `failed to load image "${HIDDEN}"`,
  ],
  [
    'what a registry is asked with, beside the name of the image',
    `Failed to pull image "reg.example/app:${COMMIT}": Get "https://joe:pw@reg.example/v2/app?token=${KEY}": 401, key ${KEY}`,
    `Failed to pull image "reg.example/app:${COMMIT}": Get "https://${HIDDEN}@reg.example/v2/app?${HIDDEN}": 401, key ${HIDDEN}`,
  ],
])('%s is removed', (_, line, safe) => {
  expect(withoutLogSecrets(line)).toBe(safe);
  expect(withoutLogSecrets(safe)).toBe(safe);
});

test.each([
  '+ retrycmd_if_failure 20 1 15 curl -v https://mcr.microsoft.com/v2/',
  'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1188 (unattended-upgr)',
  '/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/MC_shop_shop_westeurope/providers/Microsoft.Compute',
  '/CommunityGalleries/AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2/images/2204gen2containerd/versions/202605.01.0',
  'pulled mcr.microsoft.com/oss/kubernetes/pause@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'AKS.CSE.orasLogin.oras_login_with_kubelet_identity',
  'node aks-default-x7k2p in aks-nodepool1-12345678-vmss000001',
  'ERR_LOOKUP_DISABLE_KUBELET_SERVING_CERTIFICATE_ROTATION_TAG=213',
  'C:\\AzureData\\CustomDataSetupScript.log and WindowsServer2022DatacenterAzureEditionSmalldisk',
  '--feature-gates=DynamicResourceAllocation=true,InPlacePodVerticalScaling=true,RotateKubeletServerCertificate=true',
  '+ mkdir -p /etc/kubernetes/manifests',
  '+ systemctl show -p ActiveState kubelet',
  '+ journalctl -u kubelet --no-pager -p err',
  '+ mkdir -p /opt/azure/login',
  '+ systemctl status mysql',
  '10:15:02 info: changed | chpasswd was not run',
  'it says "info: no user" and then | chpasswd is named in the text | without one',
  'chpasswd << is a redirection\nnext: line',
  'Post "https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com/api/v1/nodes": EOF',
  'lookup 0123456789abcdef0123456789abcdef.sk1.cn-north-1.eks.amazonaws.com.cn: no such host',
  '"auth": "none"',
  `Failed to pull image "reg.example:5000/team/app:${COMMIT}": reg.example:5000/team/app:${COMMIT}: not found`,
  `Back-off pulling image "app:main-${COMMIT}"`,
  `Failed to apply default image tag "reg.example/App:${COMMIT}": couldn't parse image name "reg.example/App:${COMMIT}"`,
  `msg="PullImage \\"reg.example/app:${COMMIT}\\" failed"`,
  `initializing source docker://reg.example/app:${COMMIT}: reading manifest ${COMMIT} in reg.example/app: manifest unknown`,
  `Head "https://reg.example/v2/app/manifests/${COMMIT}": EOF, pulling image "reg.example/app:${COMMIT}@sha256:${KEY}"`,
  '++ date -u +%H:%M:%S',
  '+ docker run -u 1000:1000 -v /x:/y app',
  '+ docker run -u 1000:1000 -p 8080:80 -p 127.0.0.1:53:53/udp app',
  'container has runAsUser and -u 65534:65534 is not allowed',
  '+ docker run --user=1000:1000 app && podman run --user 0:0 app',
  'cat <<EOF | tee /etc/motd\nhello: world\n\nbye: now\nEOF',
  'list: |\n  joe: works\nchpasswd: none',
  'REGISTRY_AUTH=htpasswd OAUTH=true REQUIRE_AUTH=false SMTP_AUTH=LOGIN AUTH=none',
  'set WEB_AUTH=https://login.example/realms/shop and AUTH_TYPE=basic',
  '+ redis-cli --stat -h db && ls -a /data',
  '+ ldapsearch -x -W -D cn=admin && wc -w file',
  '+ sqlcmd -S db -E -Q x && ssh -P 22',
  'dial tcp: lookup db on 10.0.0.10:53: no such host, user@tcp is no address',
  'pod sk-web-7c9d8f6b5-abcde of task-runner-abcdefghijklmnopqrstuvwx1',
  'hvs.example.com and hvs.io',
  '+ helm pull -u https://x.example:443/charts',
])('what is no secret stays: %s', (line) => {
  expect(withoutLogSecrets(line)).toBe(line);
});
