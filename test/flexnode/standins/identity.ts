/**
 * All stand-ins of the identity side together: login and ARM behind one HTTPS address with a private authority, HIMDS on
 * plain loopback, the control server of the azcmagent script. For the end-to-end test the issuer is good enough for a
 * real kube-apiserver: discovery, JWKS and signed tokens.
 */
import { createAuthority, issueServingCertificate } from '@chandler/kube/tls';
import { ArmStandin, type StandinCluster } from './arm.ts';
import { AzcmagentStandin, azcmagentScript } from './azcmagent.ts';
import { HimdsStandin } from './himds.ts';
import { type LoginStandin, loginStandin } from './login.ts';
import { type Served, serve } from './serve.ts';
import { FakeTokenIssuer } from './token-issuer.ts';

export interface IdentityStandinsOptions {
  readonly tenantId: string;
  /** Where the key files of HIMDS go: `/var/opt/azcmagent/tokens` of the machine. */
  readonly tokensDir: string;
  readonly now?: () => number;
  readonly ports?: { readonly arm?: number; readonly himds?: number; readonly control?: number };
  /** By resource id. */
  readonly clusters?: Readonly<Record<string, StandinCluster>>;
}

export interface IdentityStandins {
  readonly tokens: FakeTokenIssuer;
  readonly login: LoginStandin;
  readonly arm: ArmStandin;
  readonly agent: AzcmagentStandin;
  readonly himds: HimdsStandin;
  /** `https://127.0.0.1:…`: for `azure.resourceManagerEndpoint` and `azure.authorityHost`. */
  readonly url: string;
  readonly caPem: string;
  /** For `issuer.url` of a structured authentication config; the username is the claim `oid`. */
  readonly issuer: string;
  readonly himdsEndpoint: string;
  /** What to put at `/usr/bin/azcmagent`. */
  readonly azcmagentScript: string;
  close(): Promise<void>;
}

export async function startIdentityStandins(options: IdentityStandinsOptions): Promise<IdentityStandins> {
  const now = options.now ?? Date.now;
  const tokens = new FakeTokenIssuer({ tenantId: options.tenantId, now });
  const login = loginStandin(tokens);
  const arm = new ArmStandin(tokens);
  for (const [id, cluster] of Object.entries(options.clusters ?? {}))
    arm.clusters.set(id.toLowerCase(), cluster);
  const agent = new AzcmagentStandin(arm, tokens);
  const himds = new HimdsStandin({
    tokens,
    tokensDir: options.tokensDir,
    objectId: () => [...arm.machines.values()].at(-1)?.principalId ?? 'nobody',
  });
  const authority = await createAuthority(now, 'flexnode stand-ins');
  const tls = await issueServingCertificate(authority, { names: ['localhost'], addresses: ['127.0.0.1'] });
  const servers: Served[] = [];
  const start = async (...args: Parameters<typeof serve>) => {
    const served = await serve(...args);
    servers.push(served);
    return served;
  };
  const both = await start({
    tls,
    port: options.ports?.arm ?? 0,
    handler: (request) =>
      new URL(request.url).pathname.startsWith(`/${options.tenantId}/`)
        ? login.handler(request)
        : arm.handler(request),
  });
  tokens.issuer = `${both.url}/${options.tenantId}/v2.0`;
  const metadata = await start({ handler: himds.handler, port: options.ports?.himds ?? 0 });
  const control = await start({ handler: agent.control, port: options.ports?.control ?? 0 });
  return {
    tokens,
    login,
    arm,
    agent,
    himds,
    url: both.url,
    caPem: authority.certificatePem,
    issuer: tokens.issuer,
    himdsEndpoint: `${metadata.url}/metadata/identity/oauth2/token`,
    azcmagentScript: azcmagentScript({ host: '127.0.0.1', port: control.port }),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
