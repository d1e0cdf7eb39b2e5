/** Secrets that runtimes list, that servers print when they start first, and that commands set; and texts that only look like them. */
import { describe, expect, test } from 'vitest';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

/** Put together here, so that nobody who searches this repository for tokens finds one. */
const token = (...parts: readonly string[]) => parts.join('');

describe('a secret is hidden', () => {
  test.each([
    ['in a variable as the CRI has it in JSON', '"envs":[{"key":"DB_PASSWORD","value":"hunter xyz"}]'],
    [
      'in a variable as the CRI has it in a string',
      String.raw`{\"key\":\"A_TOKEN\",\"value\":\"hunter xyz\"}`,
    ],
    [
      'in a variable as the CRI has it in YAML',
      'envs:\n- key: DB_PASSWORD\n  value: hunter xyz\n- key: PORT',
    ],
    ['in a variable as the CRI has it in a line of YAML', '- {key: DB_PASSWORD, value: hunter xyz}'],
    ['in a variable with a key, in front of it', '[{"value":"hunter xyz","key":"DB_PASSWORD"}]'],
    ['in a variable as the CRI prints it', '[]*KeyValue{&KeyValue{Key:DB_PASSWORD,Value:hunter2xyz,},}'],
    ['in a variable with a comma as the CRI prints it', '&KeyValue{Key:A_TOKEN,Value:a,hunter xyz",},'],
    ['in a variable with quotes as the CRI prints it', '&KeyValue{Key:A_TOKEN,Value:"hunter xyz",},'],
    [
      'in a short variable as the CRI prints it',
      '&KeyValue{Key:A_TOKEN,Value:xyz,},&KeyValue{Key:B,Value:c,},',
    ],
    ['in a variable as the CRI prints it, that is cut', '&KeyValue{Key:DB_PASSWORD,Value:hunterxyz'],
    ['in a variable with its type, as Go prints it', '[]KeyValue{{Key:"DB_PASSWORD", Value:"hunter xyz"}}'],
    ['in a variable in a map of Go', '[{Key:DB_PASSWORD Value:hunterxyz}]'],
    ['in a variable in text of protobuf', 'envs:{key:"DB_PASSWORD" value:"hunter xyz"}'],

    ['of MySQL that starts first', 'A temporary password is generated for root@localhost: !hunter;xyz'],
    ['of MySQL in JSON', '{"log":"A temporary password is generated for root@localhost: hJ7!hunter_xyz"}'],
    ['of MariaDB that starts first', '[Entrypoint]: GENERATED ROOT PASSWORD: hunter/xyz'],
    ...['', '\n', '\n\n', '\\n'].map((line): [string, string] => [
      `of Elasticsearch, with ${JSON.stringify(line)} behind the line`,
      `Password for the elastic user (reset with \`bin/elasticsearch-reset-password -u elastic\`):${line}  hunter2xyz+abcdABCD12`,
    ]),
    [
      'of Elasticsearch that is reset',
      'Password for the [elastic] user successfully reset.\nNew value: hunterxyz',
    ],
    ['of Elasticsearch that is set up', 'Changed password for user elastic\nPASSWORD elastic = hunterxyz'],

    ['that az sets', 'az keyvault secret set --vault-name v --name n --value hunterxyz'],
    ['that az sets in a script', 'az keyvault secret set --name n \\\n  --value "hunter xyz" \\\n  -o none'],
    ['that az sets in JSON', String.raw`{"cmd":"az keyvault secret set -n a --value \"hunter xyz\""}`],
    ['that aws puts as a parameter', 'aws ssm put-parameter --name /x --type SecureString --value hunterxyz'],
    [
      'that aws puts as a parameter of a type behind it',
      'aws ssm put-parameter --value xyz --type SecureString',
    ],
    ['that aws puts', 'aws secretsmanager put-secret-value --secret-id x --secret-string hunterxyz'],
    [
      'that aws puts as JSON',
      `aws secretsmanager create-secret --secret-string '{"a":"hunter xyz"}' --name x`,
    ],
    ['that aws puts, in a list', '["secretsmanager","put-secret-value","--secret-string","hunter xyz"]'],
    ['that aws gets', '{"Name":"x","SecretString":"hunter xyz"}'],
    ['that aws gets as text', 'SecretString: hunter2xyz'],
    ['that az sets, in a list', '["az","keyvault","secret","set","--name","n","--value","hunter xyz"]'],
    ['that aws puts, in a list', '["put-parameter","--type","SecureString","--value","hunter xyz","--x"]'],
    ['of useradd behind other options', 'useradd -mp hunterxyz bob'],
    ['of useradd', 'useradd -m -p hunterxyz bob'],
    ['of usermod', "usermod -p '$6$salt$hunterxyz/.' bob"],
    ['of usermod with its folder', '+ sudo /usr/sbin/usermod -aG docker -p "hunter xyz" bob'],
    ['of usermod that escapes dollars', String.raw`usermod -p \$6\$salt\$hunterxyz bob`],
    ['of useradd in a list', '["useradd","-m","-p","hunter xyz","bob"]'],
    ['of useradd that openssl encrypts', 'useradd -p "$(openssl passwd -6 -salt ab hunterxyz)" bob'],
    ['of useradd that openssl encrypts, in no quotes', "useradd -p $(openssl passwd -1 'hunter xyz') bob"],
    ['of mongosh', 'mongosh --host db --username root -p hunterxyz'],
    ['of mongo', 'mongo -u root -p hunterxyz --eval x'],
    ['of mongodump', 'mongodump --host db -u root -phunterxyz'],
    ['of cqlsh', 'cqlsh -u cassandra -p hunterxyz'],
    ['of mysqladmin', 'mysqladmin -u root password hunterxyz'],
    ['of mysqladmin, and the one before', "mysqladmin -u root -phunter password 'hunter xyz'"],
    ['of a user of RabbitMQ', 'rabbitmqctl add_user shop hunterxyz'],
    ['of a user of RabbitMQ that is changed', "rabbitmqctl -q change_password shop 'hunter xyz'"],

    ['of Azure DevOps', `AZURE_DEVOPS_EXT_PAT=hunterxyz${'a'.repeat(43)}`],
    ['of Azure DevOps behind a flag', 'app --pat hunterxyz'],
    ['of Azure DevOps in JSON', '{"azp_pat":"hunterxyz"}'],

    ['in a unit of systemd', 'Environment="DB_PASSWORD=hunter xyz"'],
    ['in a unit of systemd, behind another', 'Environment="A=b c" "DB_PASSWORD=hunter xyz"'],
    ['in a unit of systemd in JSON', String.raw`{"unit":"Environment=\"DB_PASSWORD=hunter xyz\"\nUser=a"}`],
    ['in a literal of kubectl', "kubectl create secret generic db --from-literal='password=hunter xyz'"],
    [
      'in a literal of kubectl behind a blank',
      'kubectl create secret x --from-literal "password=hunter xyz"',
    ],
    ['in an argument of a build', 'docker build --build-arg "NPM_TOKEN=hunter xyz" .'],

    ['of GitLab that registers a runner', token('gl', 'rt-hunterxyzABCDEF01ghij')],
    ['of GitLab that deploys', token('gl', 'dt-hunterxyzABCDEF01ghij')],
    ['of GitLab of a job', token('gl', 'cbt-64_hunterxyzABCDEF01gh')],
    ['of Google that gives access', token('ya', '29.a0hunterxyzabcdefghijkl')],
    ['of Google of a client', token('GOC', 'SPX-hunterxyzabcdefghijkl')],
    ['of New Relic', token('NR', 'AK-HUNTERhunterXYZxyzABCDEF012')],
    ['of Databricks', token('da', 'pi', '0123456789abcdef'.repeat(2))],
    ['of Laravel', `APP_KEY=base64:${btoa('hunterxyz')}hunterxyz=`],
    ['of age', token('AGE-SECRET', '-KEY-1QQQSYQCYQ5RQWZQFPG9HUNTER', 'hunterxyz'.toUpperCase())],
    ['of Atlassian', token('ATA', 'TT3xFfGF0hunterxyzabcdefgh=1A2B')],
    [
      'in a webhook of Teams',
      'POST https://corp.webhook.office.com/webhookb2/a-1@b-2/IncomingWebhook/hunterxyz/c',
    ],
    [
      'in an address of Telegram',
      `https://api.telegram.org/bot123:${token('AA', 'hunterxyz-abc')}/sendMessage`,
    ],

    ['in an address behind the name of a place', '{"token_endpoint":"https://joe:hunterxyz@x.example/a"}'],
    ['in a query behind the name of a place', '{"tokenUrl":"https://x.example/a?api_key=hunterxyz&b=c"}'],
    ['behind an authorization of letters only', 'Authorization: Bearer hunterhunter'],
    ['behind an authorization of letters only, in a list', '"authorization":["Basic hunterhunter"]'],
    ['behind a scheme in a variable', 'API_TOKEN=Bearer hunterhunter'],
  ])('%s', (_, text) => {
    const safe = withoutSecrets(text);
    expect(safe).not.toMatch(/hunter|xyz/);
    expect(safe).not.toMatch(/0123456789abcdef|QQQSYQ/);
    expect(safe).toContain(HIDDEN);
    expect(withoutSecrets(safe)).toBe(safe);
  });
});

test.each([
  ['{"key":"A_TOKEN","value":"b c"},{"key":"X"}', '{"key":"A_TOKEN","value":"[redacted]"},{"key":"X"}'],
  [
    '{&KeyValue{Key:A_TOKEN,Value:b,c,},&KeyValue{Key:PORT,Value:80,},}',
    '{&KeyValue{Key:A_TOKEN,Value:[redacted],},&KeyValue{Key:PORT,Value:80,},}',
  ],
  ['elastic user (a):\n  abcd\nnext: 1', 'elastic user (a):\n  abcd\nnext: 1'],
  [
    'Password for the elastic user (reset with x):\n  ab\nnext: 1',
    'Password for the elastic user (reset with x):\n  [redacted]\nnext: 1',
  ],
  ['az keyvault secret set --value a -o none', 'az keyvault secret set --value [redacted] -o none'],
  ['useradd -m -p a bob && useradd -m eve', 'useradd -m -p [redacted] bob && useradd -m eve'],
  ['useradd -p $(openssl passwd -6 a) bob', 'useradd -p $(openssl passwd -6 [redacted]) bob'],
  ['mysqladmin -pa password b && x', 'mysqladmin -p[redacted] password [redacted] && x'],
  ['rabbitmqctl add_user a bc && x', 'rabbitmqctl add_user a [redacted] && x'],
  ['Environment="A_TOKEN=b c" "D=e"', 'Environment="A_TOKEN=[redacted]" "D=e"'],
  ['https://api.telegram.org/bot1:AAb/sendMessage', 'https://api.telegram.org/bot[redacted]/sendMessage'],
])('keeps what follows the secret: %j', (text, kept) => {
  expect(withoutSecrets(text)).toBe(kept);
});

test.each([
  '{"metadataOptions":{"httpTokens":"required"}} {"HttpTokens":"optional","http_tokens":"required"}',
  '{"volumeAttributes":{"secretProviderClass":"azure-kv"}}',
  '{"token_endpoint":"https://x.example/a","tokenUrl":"https://x.example","authorizationMode":"Webhook"}',
  '{"serviceAccountTokenAudience":"sts.amazonaws.com"}',
  'APP_KEY=base64: APP_KEY_ID=base64:abcdefgh12 AGE-SECRET-KEY-1',
  'PATH=/usr/bin PATTERN=a1234567 CONFIG_PATH=/etc/x MY_PATCH=abcdef1 app --path abcdef --config.patch=abcdef',
  '{"key":"dedicated","value":"tokens","effect":"NoSchedule"} key: nvidia.com/gpu\nvalue: present',
  '{"key":"DB_PASSWORD_FILE","value":"/run/x"} &KeyValue{Key:PORT,Value:8080,}',
  '&KeyValue{Key:A_TOKEN,Value:,},&KeyValue{Key:PORT,Value:8080,},',
  'Password for the elastic user could not be generated: no node is there',
  'A temporary password is generated for the user',
  'az keyvault secret show --name n && az keyvault secret set --name n --file x',
  'aws ssm put-parameter --name /x --type String --value eu-west-1',
  'aws secretsmanager create-secret --secret-string file://creds.json',
  'useradd -m -s /bin/bash bob; mkdir -p data && id bob',
  'usermod: no such user -p and useradd --help',
  'docker run --name mongo -p 27017:27017 mongo:6',
  'mongod --port 27017 --bind_ip 0.0.0.0',
  'mysqladmin ping -h db && mysqladmin: Access denied (using password: YES)',
  'rabbitmqctl add_user shop && rabbitmqctl list_users',
  'openssl passwd -6 -stdin < /run/pw',
  'x509: certificate is not valid: Basic Constraints of CA cert not marked critical',
  'the basic Standard_D4s_v5 size, Basic networking, bearer credentials missing',
  '{"m":"Basic networking is not supported."}',
  'existingSecret: db-secret-2024\ntlsSecret: web-tls-2024\nimagePullSecret: regcred-2024',
  '{"existingSecret":"db-secret","tlsSecret":"web-tls","imagePullSecret":"regcred-2024"}',
  'failed to refresh token: StatusCode=400, request id: 1234',
  'fetch token: 10.0.0.10:53: i/o timeout',
  'get credentials: http://169.254.170.23/v1/credentials: connection refused',
  'Environment="HOME=/root and more" Environment="A_TOKEN_FILE=/x y"',
  "kubectl create configmap a --from-literal='color=hunter xyz'",
  'glrt- and GOCSPX and dapi0123 and ya29 are forms, glpat-x',
  'https://corp.webhook.office.com/ and https://api.telegram.org/bots',
])('what is none stays: %s', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});
