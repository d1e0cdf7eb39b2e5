/** Checks of AKS: the controller signs in to Azure with a workload identity. */
import { CLIENT_ID_ANNOTATION, isOwnChart, USE_LABEL } from '../../../azure/helm-options.ts';
import { type AzureObject, evidenceAt } from '../../../azure/objects.ts';
import { regionName } from '../../../azure/picture.ts';
import {
  isFieldOf,
  judgeScenes,
  OF_CONTROLLER,
  type Scene,
  serviceAccountOf,
} from '../../../azure/scenes.ts';
import { hasSymbol, sameId, sameText, symbolOf } from '../../../azure/symbols.ts';
import { placeholderIn } from '../../../facts/placeholder.ts';
import type { HelmRelease } from '../../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../../model/finding.ts';
import { find, itemsAt, placeAt, textOf } from '../../../model/tree.ts';
import type { CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import { fail, pass, skip } from '../../judgements.ts';
import { INFRASTRUCTURE } from './compare.ts';

const AUDIENCE = 'api://AzureADTokenExchange';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const AKS_IDENTITY_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-04',
    title: 'The AKS cluster has an OIDC issuer and workload identity',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the OIDC issuer and workload identity of the cluster are enabled, fails if one is not. Judged if the controller uses a federated credential or the annotation of workload identity.',
    severity: 'critical',
    phase: 1,
    fix: 'Set oidc_issuer_enabled and workload_identity_enabled to true (az aks update --enable-oidc-issuer --enable-workload-identity).',
    docs: DOCS.azureWorkloadIdentity,
    judge: (context) =>
      judgeScenes(context, (scene) => {
        const { cluster } = scene;
        if (cluster === undefined || !usesWorkloadIdentity(scene)) return [];
        const fields = ['oidcIssuerEnabled', 'workloadIdentityEnabled'];
        const evidence = fields.map((name) => cluster.seen(name));
        const off = fields.filter((name) => isOff(cluster, name));
        if (off.length > 0)
          return [
            fail(
              `${off.map((name) => (name === 'oidcIssuerEnabled' ? 'The OIDC issuer' : 'Workload identity')).join(' and ')} is not enabled.`,
              evidence.filter((_, index) => off.includes(fields[index]!)),
              { object: cluster.address },
            ),
          ];
        return [pass('Both are enabled.', evidence, { object: cluster.address })];
      }),
  },
  {
    id: 'A-05',
    title: 'The federated credential trusts the issuer of the AKS cluster',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the issuer of the federated credential of the controller is the OIDC issuer of the cluster, with the slash at its end. Fails if it is another.',
    severity: 'critical',
    phase: 1,
    fix: 'Set issuer to the OIDC issuer of the cluster: azurerm_kubernetes_cluster.NAME.oidc_issuer_url.',
    docs: DOCS.azureWorkloadIdentity,
    judge: (context) =>
      judgeScenes(context, (scene) => credentials(scene).map((each) => issuerOf(scene, each))),
  },
  {
    id: 'A-06',
    title: 'The federated credential trusts the service account of the controller',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the subject of the federated credential is system:serviceaccount:NAMESPACE:NAME with the namespace and the service account of the release. Fails if it is of another form or names another.',
    severity: 'critical',
    phase: 1,
    fix: 'Set subject to system:serviceaccount:NAMESPACE:NAME, or install the chart with that namespace and serviceAccount.name.',
    docs: DOCS.azureWorkloadIdentity,
    judge: (context) =>
      judgeScenes(context, (scene) => credentials(scene).flatMap((each) => subjectOf(scene, each))),
  },
  {
    id: 'A-07',
    title: 'The federated credential has the audience of Azure',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the only audience of the federated credential is api://AzureADTokenExchange (in a region of Azure China or Azure Government, also that of this cloud), fails otherwise.',
    severity: 'critical',
    phase: 1,
    fix: 'Set audience to ["api://AzureADTokenExchange"].',
    docs: DOCS.azureWorkloadIdentity,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        credentials(scene).map((credential) => {
          const object = credential.address;
          const evidence = [credential.seen('audience')];
          const tree = credential.field('audience');
          const texts = tree?.kind === 'list' ? itemsAt(tree).map(symbolOf) : [];
          if (tree?.kind !== 'list' || texts.some((text) => text === undefined || hasSymbol(text)))
            return skip('The audience is not known.', ['plan', 'state', 'cloud'], evidence, { object });
          return texts.length === 1 && isAudience(texts[0]!, scene)
            ? pass('The audience is that of Azure.', evidence, { object })
            : fail(`The audience is ${texts.join(', ') || 'empty'}.`, evidence, { object });
        }),
      ),
  },
  {
    id: 'A-08',
    title: 'The service account of the controller has the client ID of its identity',
    inputs: ['values'],
    criterion:
      'Passes if the annotation azure.workload.identity/client-id is the client ID of the identity of the controller, and its pods have the label azure.workload.identity/use: "true". Fails if one is absent, a placeholder, or of another identity.',
    severity: 'critical',
    phase: 2,
    fix: 'Set serviceAccount.annotations["azure.workload.identity/client-id"] to the client ID of the identity (not its principal ID), and podLabels["azure.workload.identity/use"] to "true".',
    docs: DOCS.azureWorkloadIdentity,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        scene.releases.flatMap((release) => {
          const use = labelOf(release);
          const own = clientIdOf(scene, release);
          if (own === undefined || (own.status !== 'pass' && own.status !== 'skip') || use === undefined)
            return own ?? [];
          return use.value === 'true' || use.unknown === true
            ? [{ ...own, evidence: [...own.evidence, use] }]
            : [
                fail(
                  'The pods have no label azure.workload.identity/use: "true", so they get no token.',
                  [use],
                  {
                    object: release.origin,
                  },
                ),
              ];
        }),
      ),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function usesWorkloadIdentity({ picture, releases }: Scene): boolean {
  return (
    picture.of('federatedCredential').length > 0 ||
    releases.some(
      ({ values }) => find(values, 'serviceAccount', 'annotations', CLIENT_ID_ANNOTATION) !== undefined,
    )
  );
}

/** Other clouds have audiences of their own, which the public one does not know. */
function isAudience(text: string, { cluster, picture }: Scene): boolean {
  if (text === AUDIENCE) return true;
  const location = picture.expand(cluster?.text('location') ?? '');
  const cloud = /^api:\/\/AzureADTokenExchange(China|USGov)$/.exec(text)?.[1];
  if (cloud === undefined) return false;
  const isUnknown = location === '' || hasSymbol(location);
  return isUnknown || REGIONS_OF[cloud]!.test(regionName(location));
}

const REGIONS_OF: Readonly<Record<string, RegExp>> = { China: /^china/, USGov: /^us(gov|dod)/ };

/** Absent is off: neither has another default. */
function isOff(cluster: AzureObject, name: string): boolean {
  const tree = cluster.field(name);
  return tree === undefined || textOf(tree) === 'false';
}

/** Federated credentials of the controller. */
function credentials({ picture, identities }: Scene): readonly AzureObject[] {
  return picture.of('federatedCredential').filter((credential) => {
    const parent = picture.expand(credential.text('identity') ?? '');
    const isOwn = identities.some((identity) => sameId(parent, picture.idOf(identity)) === 'yes');
    return isOwn || OF_CONTROLLER.test(`${credential.address} ${credential.text('subject') ?? ''}`);
  });
}

function issuerOf({ cluster, picture }: Scene, credential: AzureObject): Judgement {
  const object = credential.address;
  const own = credential.text('issuer');
  const evidence: Evidence[] = [credential.seen('issuer')];
  if (own === undefined || cluster === undefined)
    return skip('The issuer is not known.', ['state', 'cloud'], evidence, { object });
  const text = picture.expand(own);
  const expected = cluster.text('oidcIssuerUrl');
  const isKnown = expected !== undefined && !hasSymbol(expected);
  const both = [...evidence, cluster.seen(isKnown ? 'oidcIssuerUrl' : 'name')];
  if (expected !== undefined && text === expected)
    return pass('It is the issuer of the cluster.', both, { object });
  const named = /^\{[^{}]+\}$/.test(text) ? picture.named(text) : undefined;
  if (named !== undefined)
    return fail(`It is ${text.slice(1, -1)}, not the issuer of the cluster.`, both, { object });
  if (hasSymbol(text)) return skip('The issuer is not known.', ['state', 'cloud'], evidence, { object });
  if (isKnown)
    return fail(
      `${expected.replace(/\/+$/, '') === text.replace(/\/+$/, '') ? 'Only the slash at its end differs, and it counts: the' : 'The'} issuer of the cluster is ${expected}.`,
      both,
      { object },
    );
  return issuerByForm(cluster, text, evidence, object);
}

/** Without the issuer of the cluster, its form and its region still tell. */
function issuerByForm(
  cluster: AzureObject,
  text: string,
  evidence: readonly Evidence[],
  object: string,
): Judgement {
  const region = ISSUER.exec(text)?.[1];
  const location = cluster.text('location');
  if (region === undefined)
    return fail('It is no issuer of AKS: https://REGION.oic.prod-aks.azure.com/TENANT/ID/.', evidence, {
      object,
    });
  if (location !== undefined && !hasSymbol(location) && regionName(location) !== region)
    return fail(
      `It is an issuer of ${region}, and the cluster is in ${regionName(location)}.`,
      [...evidence, cluster.seen('location')],
      { object },
    );
  return skip('The issuer of the cluster is not known.', ['state', 'cloud'], evidence, { object });
}

const ISSUER = /^https:\/\/([a-z0-9]+)\.oic\.[a-z0-9-]+\.azure\.(?:com|us|cn)\/[^/]+\/[^/]+\/$/;

function subjectOf({ releases, picture }: Scene, credential: AzureObject): readonly Judgement[] {
  const object = credential.address;
  const evidence = [credential.seen('subject')];
  const own = credential.text('subject');
  if (own === undefined) return [skip('The subject is not known.', ['plan', 'state'], evidence, { object })];
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(picture.expand(own)) ?? [];
  if (namespace === undefined || name === undefined)
    return [
      hasSymbol(own) && !own.startsWith('system:')
        ? skip('The subject is not known.', ['plan', 'state'], evidence, { object })
        : fail('The subject is not of the form system:serviceaccount:NAMESPACE:NAME.', evidence, { object }),
    ];
  const accounts = releases.map((release) => ({ release, ...serviceAccountOf(release) }));
  const [first] = accounts;
  if (first === undefined)
    return [skip('The service account of the controller is not known.', ['values'], evidence, { object })];
  const both = [...evidence, ...accounts.flatMap(({ release }) => accountEvidence(release))];
  const answers = accounts.map((account) =>
    account.namespace === undefined || account.name === undefined
      ? account.name !== undefined && sameText(account.name, name) === 'no'
        ? 'no'
        : 'unknown'
      : sameText(`${account.namespace}:${account.name}`, `${namespace}:${name}`),
  );
  if (answers.includes('yes'))
    return [pass('It is the service account of the controller.', both, { object })];
  if (answers.includes('unknown'))
    return [skip('The service account of the controller is not known.', ['values'], both, { object })];
  return [
    fail(
      `The controller runs as ${first.namespace ?? '…'}:${first.name}, and the subject is ${namespace}:${name}.`,
      both,
      {
        object,
      },
    ),
  ];
}

function accountEvidence({ values, namespace, source, origin, at }: HelmRelease): readonly Evidence[] {
  const name = find(values, 'serviceAccount', 'name');
  return [
    ...(namespace === undefined
      ? []
      : [evidenceAt(namespace, source, `namespace of ${origin}`, namespace.at)]),
    ...(name === undefined
      ? [{ source, what: 'serviceAccount.name', note: 'absent', at }]
      : [evidenceAt(name, source, 'serviceAccount.name', name.at)]),
  ];
}

function clientIdOf(scene: Scene, release: HelmRelease): Judgement | undefined {
  const { values, source, incomplete, origin: object, at } = release;
  const own = find(values, 'identity', 'azureClientId');
  const path =
    own === undefined
      ? ['serviceAccount', 'annotations', CLIENT_ID_ANNOTATION]
      : ['identity', 'azureClientId'];
  const tree = find(values, ...path);
  const evidence = [
    evidenceAt(tree, source, path.join('.'), tree === undefined ? placeAt(values, ...path) : tree.at),
  ];
  if (tree === undefined) {
    if (incomplete.length > 0) return skip('The annotation is not known.', ['values'], evidence, { object });
    return usesWorkloadIdentity(scene)
      ? fail(
          'The service account has no client ID of an identity.',
          [{ ...evidence[0]!, at: placeAt(values, ...path) ?? at }],
          { object },
        )
      : undefined;
  }
  const text = symbolOf(tree);
  if (text === undefined)
    return skip('The annotation is not known.', ['plan', 'state'], evidence, { object });
  const waiting = hasSymbol(text) ? undefined : placeholderIn(text);
  if (waiting !== undefined)
    return fail(`The client ID is a placeholder (${waiting}).`, evidence, { object });
  if (!hasSymbol(text) && !UUID.test(text))
    return fail(`${text} is no client ID: it is no UUID.`, evidence, { object });
  const { identities, picture } = scene;
  if (identities.length === 0)
    return skip('The identity of the controller is not known.', INFRASTRUCTURE, evidence, { object });
  const both = [...evidence, ...identities.map((identity) => identity.seen('clientId'))];
  const answers = identities.map((identity) => isFieldOf(text, identity, 'clientId', picture));
  if (answers.includes('yes')) return pass('It is the client ID of the identity.', both, { object });
  if (identities.some((identity) => isFieldOf(text, identity, 'principalId', picture) === 'yes'))
    return fail('It is the principal ID of the identity, not its client ID.', both, { object });
  return answers.includes('unknown')
    ? skip('The client ID of the identity is known only after apply.', ['state', 'cloud'], both, { object })
    : fail('It is not the client ID of the identity of the controller.', both, { object });
}

/** Undefined: the chart of Chandler sets it itself. */
function labelOf({ values, source, incomplete, at }: HelmRelease): Evidence | undefined {
  if (isOwnChart(values)) return undefined;
  const tree = find(values, 'podLabels', USE_LABEL);
  const evidence = evidenceAt(
    tree,
    source,
    `podLabels.${USE_LABEL}`,
    tree?.at ?? find(values, 'podLabels')?.at ?? at,
  );
  return tree === undefined && incomplete.length > 0 ? { ...evidence, unknown: true } : evidence;
}
