/** Where exceptions end: what has the name of one, or its form, and is a secret; and what is none beside it. */
import { describe, expect, test } from 'vitest';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

describe('is hidden', () => {
  test.each([
    'Bearer hunterhunter',
    'code ABC, Bearer hunterhunter; next',
    '{"name":"Authorization","value":"Bearer hunter-secret-token"}',
    'name: Authorization\nvalue: Basic hunterhunter',
    'HTTPHeader{Name:Authorization,Value:Bearer hunterhunter,}',
    'Authorization:      Bearer hunterhunter',
    'Bearer credentials-hunter',
    'EnvVar{Name:DB_PASSWORD,Value:hunter2xyz,ValueFrom:nil,}',
    'IMAGE_PULL_SECRET=hunter2xyz',
    'export IMAGE_PULL_SECRET="hunter xyz"',
    '--image-pull-secret=hunter2xyz9',
    'image_pull_secret = "hunter2xyz9"',
    '{"imagePullSecret":"hunter2xyz"}',
    '{"existingSecretValue":"hunter2xyz"}',
    'existingSecret: hunter2xyz',
    'existingSecret: Hunter2-xyz',
    '\uE000password=hunter2xyz',
    'mtlssecret=hunter2xyz',
    'mtlsSecret: hunter2-xyz',
    '{"tokenUrl":"hunter2xyz"}',
    '{"token_endpoint":"https://x.example/a?b=hunter2xyz"}',
    '{"passwordPolicy":"hunter2xyz","secretMode":"hunter2xyz","tokenClass":"hunter2xyz"}',
    '{"jwt_token_uri":"hunter2xyz"}',
    'webhook_secret: https://hooks.example/hunter2xyz: refused',
    'password: HTTP/1hunter2xyz',
    'token: StatusCode=400hunter2xyz',
    'password=file://hunter2xyz',
    'mongosh --host db -u root -p hunterxyz',
    'x && mongodump -u root -phunterxyz',
    'kubectl exec mongo-0 -- mongosh -u root -p hunterxyz',
    '+ /usr/bin/mongosh "mongodb://h/db" -u root -p "hunter xyz"',
    'mongosh \\\n  -u root \\\n  -p hunterxyz',
  ])('%s', (text) => {
    const safe = withoutSecrets(text);
    expect(safe).not.toMatch(/hunter|xyz/i);
    expect(safe).toContain(HIDDEN);
    expect(withoutSecrets(safe)).toBe(safe);
  });

  test('up to the end of a field', () => {
    expect(withoutSecrets('EnvVar{Name:DB_PASSWORD,Value:a,b,ValueFrom:nil,}')).toBe(
      `EnvVar{Name:DB_PASSWORD,Value:${HIDDEN},ValueFrom:nil,}`,
    );
  });
});

test.each([
  'BASIC AUTHENTICATION FAILED, BEARER AUTHORIZATION REQUIRED, Basic challenge, Bearer challenge',
  'Basic Constraints, Basic networking. The basic Standard_D4s_v5 size, bearer credentials missing',
  'EnvVar{Name:DB_PASSWORD,Value:,ValueFrom:&EnvVarSource{SecretKeyRef:&SecretKeySelector{LocalObjectReference:LocalObjectReference{Name:db-creds,},Key:password,Optional:nil,},},}',
  'EnvVar{Name:DB_PASSWORD,Value:$(OTHER),ValueFrom:nil,}',
  'existingSecret: db-secret\n"tlsSecret": "web-tls"\nimagePullSecret: regcred-2024',
  String.raw`{\"existingSecret\":\"db-secret-2\"}`,
  'kubectl exec -it mongo -- mkdir -p /data/db',
  'su mongodb -c "mkdir -p /x"',
  'gosu mongodb mkdir -p /bitnami/mongodb',
  'mongo mkdir -p /data/db',
  'Back-off restarting mongo container: command mkdir -p /data/db failed',
  'docker run --network mongo -p 8080 x',
  'systemctl show mongo -p ActiveState',
  'useradd failed: install -Dp a b',
  '["kubectl","exec","mongo","--","mkdir","-p","/data/db"]',
  '{"token_endpoint":"https://x.example/a","tokenUrl":"https://x.example","token_uri":"http://x/a"}',
  '{"authorizationModes":"Node","tokenAudiences":"a-b","httpTokens":"required"}',
  'kinit: Password for the HTTP user is wrong:\nretry the command',
  'VMExtension: Password for the azure user was reset:\nNode is ready',
  '{"key":"dedicated-token","value":"x1","effect":"NoSchedule"}',
  '{"effect":"NoSchedule","key":"dedicated-token","value":"x1"}',
  '- effect: NoExecute\n  key: dedicated-token\n  value: x1',
  'Taint{Key:dedicated-token,Value:true,Effect:NoSchedule,TimeAdded:<nil>,}',
  '{Key:dedicated-token Value:dedicated Effect:NoSchedule TimeAdded:<nil>}',
  'openssl passwd failed with exit code 1',
  'openssl passwd -6 failed with exit code 1',
  'rabbitmqctl add_user failed with exit code 70',
  'mysqladmin failed because of a password mismatch',
  'gldt-web-frontend-7d9f8b6c5-abcde and glrt-runner-manager-7d9f8b6c5-abcde',
])('stays: %s', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});
