/** The kubelet settings of a class for one instance type: with the values that its expressions have there. */
import { defaultCard, type UsableInstanceType } from './instance-type-info.ts';
import {
  compileExpression,
  ExpressionError,
  reservedQuantity,
  type TypeVariables,
} from './kubelet-expressions.ts';
import type { Parameters } from './parameters.ts';
import { podsOf } from './pod-density.ts';

export interface ResolvedKubelet {
  /** Without expressions. */
  readonly parameters: Parameters;
  readonly failures: readonly ExpressionFailure[];
}

export interface ExpressionFailure {
  /** `maxPods`, `kubeReserved.cpu`. */
  readonly field: string;
  readonly message: string;
}

/** Without a value for `maxPods`, the type cannot be used; a reservation without one is left out. */
export function resolvedKubelet(info: UsableInstanceType, parameters: Parameters): ResolvedKubelet {
  const { expressions, ...kubelet } = parameters.kubelet;
  if (expressions === undefined) return { parameters, failures: [] };
  const failures: ExpressionFailure[] = [];
  const value = (field: string, text: string, pods: Parameters, maximum?: bigint) => {
    try {
      return evaluated(text, variablesOf(info, pods), maximum);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      failures.push({ field, message: `${JSON.stringify(text)} ${error.message}` });
      return undefined;
    }
  };
  const maxPods =
    expressions.maxPods === undefined
      ? undefined
      : value('maxPods', expressions.maxPods, { ...parameters, kubelet }, MAX_PODS);
  const withPods = maxPods === undefined ? kubelet : { ...kubelet, maxPods: Number(maxPods) };
  const counted = { ...parameters, kubelet: withPods };
  const reserved = (field: 'kubeReserved' | 'systemReserved') => {
    const all: Record<string, string> = { ...kubelet[field] };
    for (const [resource, text] of Object.entries(expressions[field])) {
      const amount = value(`${field}.${resource}`, text, counted);
      if (amount !== undefined) all[resource] = reservedQuantity(resource, amount);
    }
    return all;
  };
  const own = {
    ...withPods,
    kubeReserved: reserved('kubeReserved'),
    systemReserved: reserved('systemReserved'),
  };
  return { parameters: { ...parameters, kubelet: own }, failures };
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_PODS = 2n ** 31n - 1n;

function evaluated(text: string, variables: TypeVariables, maximum: bigint | undefined): bigint {
  const value = compileExpression(text)(variables);
  if (value < 0n) throw new ExpressionError(`gives ${value}, which is negative`);
  if (maximum !== undefined && value > maximum)
    throw new ExpressionError(`gives ${value}, which is more than ${maximum}`);
  return value;
}

function variablesOf(info: UsableInstanceType, parameters: Parameters): TypeVariables {
  return {
    vcpus: info.VCpuInfo.DefaultVCpus,
    memory_mib: info.MemoryInfo.SizeInMiB,
    default_enis: defaultCard(info)?.MaximumNetworkInterfaces ?? 0,
    ips_per_eni: info.NetworkInfo.Ipv4AddressesPerInterface,
    max_pods: podsOf(info, parameters),
    instance_type: info.InstanceType,
  };
}
