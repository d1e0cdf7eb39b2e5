import { expect, test } from 'vitest';
import { isSecretName, isSecretNameInText, mayNameSecret } from './secret-names.ts';

test.each([
  'SharedAccessKey',
  'shared_access_key',
  'AccountKey',
  'azurestorageaccountkey',
  'AWS_SECRET_ACCESS_KEY',
  'aws_secret_access_key',
  'ACCESS_KEY',
  'SECRET_KEY',
  'X-Api-Key',
  'api-key',
  'apiKey',
  'Ocp-Apim-Subscription-Key',
  'Pwd',
  'MYSQL_PWD',
  'PGPASSWORD',
  'DB_PASS',
  'db.password',
  'adminPassword',
  'client_secret',
  'REFRESH_TOKEN',
  'client-key-data',
  'PASSWORD_2',
  'connectionString',
  'customData',
  'google_credentials',
  'AZURE_STORAGE_KEY',
  'storage-key',
  'COSMOS_KEY',
  'COSMOSDB_PRIMARY_KEY',
  'OPENAI_KEY',
  'AZURE_OPENAI_KEY',
  'SEARCH_KEY',
  'EVENTHUB_KEY',
  'WORKSPACE_KEY',
  'workspaceKey',
  'primaryKey',
  'secondaryKey',
  'NEW_RELIC_LICENSE_KEY',
  'license_key',
  'TS_AUTHKEY',
  'auth-key',
  'spark.hadoop.fs.s3a.secret.key',
  'spark.hadoop.fs.azure.account.key.acct.dfs.core.windows.net',
  'PGPASS',
  'smtpPass',
  'keystorePass',
  'FERNET_KEY',
  'JWT_KEY',
  'jwtKey',
  'HMAC_KEY',
  'SAS_KEY',
  'SEARCH_ADMIN_KEY',
  'SERVICE_BUS_KEY',
  'serviceBusKey',
  'DB_PW',
  'ADMIN_PW',
  'AZURE_DEVOPS_EXT_PAT',
  'azp_pat',
  'SecretString',
  'tls_secret_key',
  'TLS_SECRET',
  'imagePullSecret',
  'IMAGE_PULL_SECRET',
])('%s is the name of a secret, of a field and in a text', (name) => {
  expect(isSecretName(name)).toBe(true);
  expect(isSecretNameInText(name)).toBe(true);
  expect(mayNameSecret(name)).toBe(true);
});

test.each([
  'kubernetes.io/pwd-like',
  'accessKeyId',
  'AWS_ACCESS_KEY_ID',
  'SharedAccessKeyName',
  'secretName',
  'tokenFile',
  'monkey',
  'keys',
  'name',
  'bypass',
  'byPass',
  'firstPass',
  'compass',
  'passKey1',
  'businessKey',
  'foreignKey',
  'primaryKeyRef',
  'search.keyword',
  'client.key',
  'monkey.key',
  'httpTokens',
  'http_tokens',
  'secretProviderClass',
  'authorizationMode',
  'serviceAccountTokenAudience',
  'CONFIG_PATH',
  'URL_PATTERN',
  'my_patch',
])('%s is not the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(false);
  expect(isSecretNameInText(name)).toBe(false);
});

test.each(['key', 'pem', 'pass', 'authorization', 'authorization-mode', 'max_tokens', 'token-auth'])(
  '%s in a text is not the name of a secret',
  (name) => {
    expect(isSecretNameInText(name)).toBe(false);
  },
);

test.each(['key', 'pem', 'pass', 'pw', 'authorization', 'tokens'])('a field %s may hold a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
  expect(mayNameSecret(name)).toBe(true);
});
