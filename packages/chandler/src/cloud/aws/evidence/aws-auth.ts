/**
 * The ConfigMap aws-auth, which maps IAM roles to nodes where the cluster honours it: ARN, username and groups of each role. A
 * dump does not contain it, only what its maker read here.
 */
import { CONFIG_MAPS, withoutSecrets } from '@chandler/kube';
import { parse } from 'yaml';
import { type EvidenceContext, isFound } from '../../../causes/index.ts';

const KEY = { namespace: 'kube-system', name: 'aws-auth' };
const WHAT = `ConfigMap ${KEY.namespace}/${KEY.name}`;
/** More rows than any account has. */
const MAX_ROLES = 500;

export async function readAwsAuth({ reader, recorder }: EvidenceContext, isNeeded: boolean): Promise<void> {
  if (reader.from === 'dump' || recorder.has('cloudResource', WHAT)) return;
  const looked = await reader.get(CONFIG_MAPS, KEY);
  if (!isFound(looked) && looked.why !== 'notFound') {
    if (isNeeded) recorder.addUnread('cloudResource', WHAT, looked);
    return;
  }
  const data = isFound(looked) ? (looked.found['data'] as Record<string, string> | undefined) : undefined;
  const rows = rowsOf(data?.['mapRoles'] ?? '');
  recorder.add({
    kind: 'cloudResource',
    reading: recorder.reading(WHAT),
    type: 'awsAuth',
    name: KEY.name,
    found: isFound(looked),
    facts: Object.fromEntries(rows.slice(0, MAX_ROLES).flatMap(factsOf)),
  });
}

// ---------------------------------------------------------------------------------------------------------------

interface MappedRole {
  readonly rolearn?: unknown;
  readonly username?: unknown;
  readonly groups?: unknown;
}

/** What is no list of rows maps nobody; the text may be anything that a person wrote. */
function rowsOf(text: string): readonly MappedRole[] {
  try {
    const rows: unknown = parse(text);
    return Array.isArray(rows) ? rows.filter((row) => typeof row === 'object' && row !== null) : [];
  } catch (error) {
    if (error instanceof Error && error.name === 'YAMLParseError') return [];
    throw error;
  }
}

function factsOf({ rolearn, username, groups }: MappedRole): readonly (readonly [string, string])[] {
  const arn = typeof rolearn === 'string' ? rolearn : '';
  const name = arn.split('/').at(-1) ?? '';
  if (name === '') return [];
  const list = Array.isArray(groups) ? groups.map(String) : [];
  return [
    [`arn of ${name}`, withoutSecrets(arn)],
    [`username of ${name}`, typeof username === 'string' ? withoutSecrets(username) : ''],
    [`groups of ${name}`, list.join(' ')],
  ];
}
