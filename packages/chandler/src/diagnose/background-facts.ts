/** Facts about the objects in question that texts and commands of causes name: claim, NodePool, node, and the cloud's own. */
import { type EvidenceSet, FACT, type Facts, filled, isTrue } from '../causes/index.ts';
import type { CloudDiagnosis } from '../cloud/index.ts';

/** Facts of the named claim; without a name, of the claim that is not a node yet. */
export function backgroundFacts(cloud: CloudDiagnosis, evidence: EvidenceSet, claimName?: string): Facts {
  const claims = evidence.all('nodeClaim');
  const claim =
    claims.find(({ name }) => name === claimName) ??
    claims.find((each) => !isTrue(each, 'Initialized')) ??
    claims[0];
  const known: Readonly<Record<string, string | undefined>> = {
    claim: claim?.name,
    nodePool: claim?.nodePool ?? evidence.first('nodePool')?.name,
    nodeClass: claim?.nodeClass ?? evidence.first('nodeClass')?.name,
    node: evidence.first('node')?.name ?? claim?.nodeName,
    ...controllerFacts(evidence),
    ...cloud.facts(evidence, claim),
  };
  return Object.fromEntries(
    Object.entries(known).filter((fact): fact is [string, string] => (fact[1] ?? '') !== ''),
  );
}

/** Where the controller runs; the names of the chart where that is not known. */
function controllerFacts(evidence: EvidenceSet): Record<string, string> {
  const [namespace = '', deployment = ''] = (evidence.first('controller')?.deployment ?? '').split('/');
  return deployment === ''
    ? { namespace: 'kube-system', deployment: 'karpenter' }
    : { namespace, deployment };
}

/** A command or an advice, in which what is not known is named for whoever follows it: `<kubelet identity>`. */
export function filledCommand(cloud: CloudDiagnosis, text: string, facts: Facts): string {
  return ofCloud(cloud, text).replace(
    FACT,
    (_, name: string) => facts[name] ?? `<${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}>`,
  );
}

/** A text of a cause with the words of the cloud, and then with the facts, filled in. */
export function filledFor(cloud: CloudDiagnosis, text: string, facts: Facts): string {
  return filled(ofCloud(cloud, text), facts);
}

// ---------------------------------------------------------------------------------------------------

function ofCloud({ words }: CloudDiagnosis, text: string): string {
  return filled(text, { ...words });
}
