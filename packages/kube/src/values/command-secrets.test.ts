import { describe, expect, test } from 'vitest';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

describe('secrets in the output of commands', () => {
  test.each([
    ['+ curl -u admin:S3cr3tPass https://reg.corp/v2/', 'S3cr3tPass'],
    ['docker login -u bob -p hunter2hunter reg.corp', 'hunter2hunter'],
    ['token k8s-aws-v1.aHR0cHM6Ly9zdHMuYW1hem9uYXdz', 'aHR0cHM6'],
    ['remote ghp_abcdefghijklmnopqrstuvwxyz0123', 'ghp_abc'],
    ['id 3aB8Q~abcdefghijklmnopqrstuvwxyz', 'Q~abcdef'],
    ["+ curl -u 'admin:P@ss!hunter#1' https://reg/v2/", 'hunter'],
    ["+ curl -u 'admin:P@ss hunter' https://reg/v2/", 'hunter'],
    ['{"cmd":"curl -u \\"admin:P@ss hunter\\" https://reg"}', 'hunter'],
    ['["curl","-u","admin:hunter2","https://reg"]', 'hunter'],
    ['curl --user admin:hunter2 https://reg', 'hunter'],
    ['curl --user=admin:hunter2 https://reg', 'hunter'],
    ['curl --user admin:adminadmin https://reg', 'adminadmin'],
    ['docker run --rm -u app:app x curl -u hunter:hunter https://reg', 'hunter:hunter'],
    ['docker run x fetch -u admin:hunter2', 'hunter'],
    ['fetch --user=system:hunter2 x', 'hunter'],
    ['curl --proxy-user admin:hunter2 https://reg', 'hunter'],
    ['curl -uadmin:hunter2 https://reg', 'hunter'],
    ['curl -su admin:hunter2 https://reg', 'hunter'],
    ["curl -fsSLu 'admin:hunter two' https://reg", 'hunter'],
    ['crictl pull --creds u:hunter2 r/x', 'hunter'],
    ['skopeo copy --src-creds=u:hunter2 --dest-creds=v:hunter3 a b', 'hunter'],
    ['curl -u :hunter2 https://reg', 'hunter'],
    ["curl -u ':hunter two' https://reg", 'hunter'],
    ['["mysql","-uroot","-phunter2","shop"]', 'hunter'],
    ['["sshpass","-p","hunter two","ssh"]', 'hunter'],
    ['["docker","login","-u","a","-p","hunter2"]', 'hunter'],
    [String.raw`{"m":"[\"redis-cli\",\"-a\",\"hunter2\"]"}`, 'hunter'],
    [String.raw`{"cmd":"docker login -u a -p \"hunter2\" reg"}`, 'hunter'],
    [String.raw`msg="docker login -u a -p \"hunter two\""`, 'hunter'],
    [String.raw`{"command":["sh","-c","mysqldump -uroot -p\"hunter2\" shop"]}`, 'hunter'],
    [String.raw`{"a":"{\"cmd\":\"mysqldump -p\\\"hunter2\\\" shop\"}"}`, 'hunter'],
    [String.raw`{"m":"sshpass -p \"hunter2\" ssh x"}`, 'hunter'],
    [String.raw`{"m":"sshpass -p \"ab\\\"hunter2\" ssh x"}`, 'hunter'],
    [String.raw`{"m":"redis-cli -a \"hunter2\""}`, 'hunter'],
    [String.raw`{"m":"aws configure set aws_secret_access_key \"hunter2\""}`, 'hunter'],
    [String.raw`docker login -u a -p ab\hunter2 reg`, 'hunter'],
    [String.raw`{"m":"docker login -u a -p ab\\hunter2 reg"}`, 'hunter'],
    ['aws configure set aws_secret_access_key hunterhunter', 'hunter'],
    ['npm config set //reg.corp/:_authToken hunterhunter', 'hunter'],
    ['+ sshpass -p hunter2 ssh node', 'hunter'],
    ['+ mysql -u root -phunter2 shop', 'hunter'],
    ["+ mysqldump -u root -p'hunter two' shop", 'hunter'],
    ['+ redis-cli -h db -a hunter2 ping', 'hunter'],
    ['+ sqlcmd -S db -U sa -P Hunter2hunter -Q x', 'unter'],
    ['+ ldapsearch -x -D cn=admin -w hunter2 -b dc=shop', 'hunter'],
    ['machine reg.corp login u password hunterhunter', 'hunter'],
    ['echo "hunter two" | docker login -u u --password-stdin reg', 'hunter'],
    ['+ echo hunter2\n+ docker login -u u --password-stdin reg', 'hunter'],
    ['cmdkey /add:a.file.core.windows.net /user:Azure\\acct /pass:hunter2/3==', 'hunter'],
    ['net use Z: \\\\a.file.core.windows.net\\share hunter2/3== /user:Azure\\acct', 'hunter'],
    ['net user admin hunterHunter! /add', 'unter'],
    ['ConvertTo-SecureString "hunter two!" -AsPlainText -Force', 'hunter'],
    ["ConvertTo-SecureString -AsPlainText -Force 'hunter two!'", 'hunter'],
    ['<AdministratorPassword><Value>hunter</Value><PlainText>true</PlainText>', 'hunter'],
  ])('%s', (text, secret) => {
    const safe = withoutSecrets(text);
    expect(safe).not.toContain(secret);
    expect(safe).toContain(HIDDEN);
    expect(withoutSecrets(safe)).toBe(safe);
  });

  test.each([
    ["curl -u 'admin:hunter2' https://reg/v2/", `curl -u 'admin:${HIDDEN}' https://reg/v2/`],
    ['["curl","-u","a:hunter2","https://reg"]', `["curl","-u","a:${HIDDEN}","https://reg"]`],
    ['{"cmd":"curl -u a:hunter2"}', `{"cmd":"curl -u a:${HIDDEN}"}`],
    ['mysql -u root -phunter2 shop', `mysql -u root -p${HIDDEN} shop`],
    ['sshpass -p hunter2 ssh -p 22 node', `sshpass -p ${HIDDEN} ssh -p 22 node`],
    ['redis-cli -a hunter2 x -a', `redis-cli -a ${HIDDEN} x -a`],
    ['mysql -u root -p=hunter2 shop', `mysql -u root -p=${HIDDEN} shop`],
    ['net user admin hunter2 /add', `net user admin ${HIDDEN} /add`],
    [
      String.raw`{"m":"docker login -p \"a b\" reg","x":"y"}`,
      String.raw`{"m":"docker login -p ${HIDDEN} reg","x":"y"}`,
    ],
    [String.raw`{"m":"mysql -pa\nmysql -pb\n"}`, String.raw`{"m":"mysql -p${HIDDEN}\nmysql -p${HIDDEN}\n"}`],
    [String.raw`"mysql -pab \\\n x"`, String.raw`"mysql -p${HIDDEN} \\\n x"`],
  ])('keeps what follows: %s', (text, safe) => {
    expect(withoutSecrets(text)).toBe(safe);
    expect(withoutSecrets(safe)).toBe(safe);
  });

  test.each([
    'date -u "+%Y-%m-%dT%H:%M" and { \'id -u\': \'0\' }, "id -u": "1"',
    'passwords in arguments (`login -p`, `curl -u`)',
    'echo "$TOKEN" | docker login -u x --password-stdin && echo $TOKEN | helm registry login --password-stdin',
    '["curl","-p","login"] ["mkdir","-p","/x"] ["login","failed","-p"]',
    '+ docker run -u 1000:1000 -p 8080:80 app && podman run --user "0:0" app',
    '["docker","run","-u","1000:1000","app"]',
    '+ helm pull -u https://x.example:443/charts',
    '+ mkdir -p /opt/azure/login && systemctl status mysql && mkdir -p data',
    '+ sort -nu hosts && ls -lu /data && tar -cu x && ps -eu root',
    '+ sqlcmd -S db -E -Q x && ssh -P 22 host',
    '+ redis-cli --stat -h db && ls -a /data',
    'java -Xrunjdwp:transport=dt_socket -Duser.home:x app',
    'mysql: [ERROR] unknown option -- no password was given',
    'the net user can be anyone, net use is slow',
    'net user admin /active:yes',
    'echo login failed | tee log; docker login --password-stdin',
    'npm config set registry https://reg.corp/npm',
    'machine reg.corp login u password',
    'ConvertTo-SecureString $pw -AsPlainText',
    String.raw`{"m":"{\"cmd\":\"mysql -u root -p\",\"host\":\"db\"}"}`,
    'kubectl create clusterrolebinding a:renewal --clusterrole=x:selfnodeclient --user=system:node:edge-01',
    'kubectl auth can-i get pods --user system:serviceaccount:kube-system:default',
    'kubectl config set-context a --user=arn:aws:eks:eu-west-1:123456789012:cluster/shop',
    '["kubectl","--user","system:node:edge-01"]',
    String.raw`{"m":"[\"kubectl\",\"--user\",\"system:node:edge-01\"]"}`,
    'docker run --user app:app x && docker run -u nobody:nogroup x',
    'podman run --user "www-data:www-data" x',
    'kubectl exec --user=1000:app x',
    'docker run -u $(id -u):$(id -g) x && docker run -u "$(id -u):$(id -g)" x',
    'Invoke-WebRequest -UseBasic:true -Uri:https://x.example/a',
    'journalctl -unit:kubelet.service',
    '["-ubuntu:22.04"] qemu -cpu host:x',
  ])('what is no password stays: %s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test('a date format and a unit of systemd are none', () => {
    for (const text of ['date -u +%H:%M', 'journalctl -u kubelet -p err'])
      expect(withoutSecrets(text)).toBe(text);
  });
});
