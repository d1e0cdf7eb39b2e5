/**
 * Why each existing node refused a pod, counted by reason. A node is counted under its first obstacle in
 * upstream's order: taints, host ports, resources and attachments, labels, volumes, topology. Nodes are sets, and what
 * several pods have in common is found once per run: the cost of a pod depends little on the number of nodes.
 */
import {
  andBits,
  type Bits,
  emptyBits,
  fullBits,
  isEmptyBits,
  members,
  minusBits,
  orInto,
  setBit,
} from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import type { CountedRefusal, Refusal } from '../refusal.ts';
import type { Requirement, RequirementSet } from '../requirements/algebra.ts';
import { requirementText } from '../requirements/text.ts';
import { ATTACHMENT_PREFIX } from '../resources.ts';
import { taintText, untoleratedTaint } from '../taints.ts';
import type { TopologyGroup } from '../topology/group.ts';
import { topologyRefusal } from './explain-topology.ts';
import { brokenHostRule, requiredAffinityGroups } from './host-rules.ts';
import { nodeAllows } from './node-placement.ts';
import type { NodeEntry } from './nodes.ts';
import type { PodClass, Variant } from './pod-class.ts';
import { amountOf } from './queue.ts';
import { RefusedNodes } from './refused-nodes.ts';
import type { Run } from './run.ts';
import type { TolerationSet } from './signatures.ts';

/** Refusals of the nodes of one run, which must not go on meanwhile. */
export class NodeRefusals {
  readonly #run: Run;
  /** Without the removed ones. */
  readonly #present: Bits;
  readonly #byTaint = new Map<TolerationSet, readonly Obstacle[]>();
  /** By requests. */
  readonly #byLack = new Map<number, ReadonlyMap<number, Bits>>();
  readonly #byLabel = new Map<string, LabelObstacle>();
  readonly #overdrawn: Int32Array;

  constructor(run: Run) {
    this.#run = run;
    const { all } = run.compiled.nodes;
    this.#present = minusBits(fullBits(all.length), run.removed);
    this.#overdrawn = Int32Array.from(all, (node) => this.#firstOverdrawn(node));
  }

  of(variant: Variant): CountedRefusal[] {
    const { nodes } = this.#run.compiled;
    const refused = new RefusedNodes(nodes);
    for (const { key, nodes: tainted, build } of this.#taintObstacles(variant.tolerations))
      refused.add(key, tainted, build);
    let rest = andBits(this.#present, variant.tolerations.nodes);
    rest = this.#withoutPorts(variant, rest, refused);
    rest = this.#withRoom(variant, rest, refused);
    rest = this.#withLabels(variant.all, rest, 'pod', refused);
    rest = this.#withVolumes(variant, rest, refused);
    this.#countTopology(variant, rest, refused);
    return refused.result();
  }

  #taintObstacles(tolerations: TolerationSet): readonly Obstacle[] {
    let obstacles = this.#byTaint.get(tolerations);
    if (obstacles === undefined) {
      const { all } = this.#run.compiled.nodes;
      const byText = new Map<string, Obstacle>();
      for (const index of members(minusBits(this.#present, tolerations.nodes))) {
        const taint = untoleratedTaint(all[index]!.taints, tolerations.list)!;
        const key = `taint ${taintText(taint)}`;
        let obstacle = byText.get(key);
        if (obstacle === undefined) {
          obstacle = {
            key,
            nodes: emptyBits(all.length),
            build: () => ({ code: 'TaintNotTolerated', taint }),
          };
          byText.set(key, obstacle);
        }
        setBit(obstacle.nodes, index);
      }
      obstacles = [...byText.values()];
      this.#byTaint.set(tolerations, obstacles);
    }
    return obstacles;
  }

  #withoutPorts({ ports }: Variant, nodes: Bits, refused: RefusedNodes): Bits {
    if (ports.length === 0) return nodes;
    const { all } = this.#run.compiled.nodes;
    for (const index of members(nodes)) {
      const port = takenPort(ports, all[index]!.ports);
      if (port !== undefined)
        refused.addOne(`port ${port.port}`, index, () => ({ code: 'HostPortTaken', ...port }));
    }
    return minusBits(nodes, refused.all);
  }

  #withRoom({ podClass }: Variant, nodes: Bits, refused: RefusedNodes): Bits {
    for (const [slot, short] of this.#lacks(podClass)) {
      const here = andBits(nodes, short);
      if (isEmptyBits(here)) continue;
      refused.add(`resource ${slot}`, here, () => lackRefusal(this.#run, podClass, here, slot));
    }
    return minusBits(nodes, refused.all);
  }

  /** By slot: the nodes that lack it first. */
  #lacks(podClass: PodClass): ReadonlyMap<number, Bits> {
    const { requests, volumes } = podClass;
    const known = volumes.shared.length === 0 ? this.#byLack.get(requests.id) : undefined;
    if (known !== undefined) return known;
    const { all } = this.#run.compiled.nodes;
    const bySlot = new Map<number, Bits>();
    for (let index = 0; index < all.length; index++) {
      const slot = this.#firstLacking(all[index]!, podClass);
      if (slot < 0) continue;
      let bits = bySlot.get(slot);
      if (bits === undefined) {
        bits = emptyBits(all.length);
        bySlot.set(slot, bits);
      }
      setBit(bits, index);
    }
    if (volumes.shared.length === 0) this.#byLack.set(requests.id, bySlot);
    return bySlot;
  }

  /** -1 when the pod fits. A node with a negative amount accepts no pod. */
  #firstLacking(node: NodeEntry, podClass: PodClass): number {
    const overdrawn = this.#overdrawn[node.index]!;
    if (overdrawn >= 0) return overdrawn;
    const { slots, amounts } = podClass.requests;
    let first = -1;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!;
      if (amounts[at]! > (node.free[slot] ?? 0)) first = this.#earlier(first, slot);
    }
    if (first >= 0 || podClass.volumes.shared.length === 0) return first;
    return this.#run.space.short(node, podClass);
  }

  #firstOverdrawn({ free }: NodeEntry): number {
    let first = -1;
    for (let slot = 0; slot < free.length; slot++) if (free[slot]! < 0) first = this.#earlier(first, slot);
    return first;
  }

  #earlier(first: number, second: number): number {
    if (first < 0) return second;
    return this.#run.compiled.resources.compareSlots(first, second) <= 0 ? first : second;
  }

  /** @returns the nodes whose labels meet the requirements. */
  #withLabels(set: RequirementSet, nodes: Bits, source: Source, refused: RefusedNodes): Bits {
    let rest = nodes;
    for (const requirement of set.items) {
      const meeting = this.#run.compiled.nodes.meeting(requirement);
      const failing = minusBits(rest, meeting);
      if (isEmptyBits(failing)) continue;
      this.#countByValue(requirement, failing, source, refused);
      rest = andBits(rest, meeting);
    }
    return rest;
  }

  #countByValue(requirement: Requirement, failing: Bits, source: Source, refused: RefusedNodes): void {
    const { nodes } = this.#run.compiled;
    const domains = nodes.domains(requirement.key);
    if (domains.size <= failing.length) {
      for (const [value, inDomain] of domains) {
        const here = andBits(failing, inDomain);
        if (isEmptyBits(here)) continue;
        const { key, refusal } = this.#labelObstacle(requirement, value, source);
        refused.add(key, here, () => refusal);
      }
      return;
    }
    // So many values, as of a host name, are in few nodes each.
    for (const index of members(failing)) {
      const { key, refusal } = this.#labelObstacle(requirement, nodes.value(index, requirement.key), source);
      refused.addOne(key, index, () => refusal);
    }
  }

  #labelObstacle(requirement: Requirement, value: number, source: Source): LabelObstacle {
    const name = `${source} ${requirement.id} ${value}`;
    let obstacle = this.#byLabel.get(name);
    if (obstacle === undefined) {
      const refusal = labelRefusal(this.#run, requirement, value, source);
      obstacle = { key: JSON.stringify(refusal), refusal };
      this.#byLabel.set(name, obstacle);
    }
    return obstacle;
  }

  /** A node that meets none of the alternatives is counted under what it lacks for the first one. */
  #withVolumes({ alternatives = [] }: Variant, nodes: Bits, refused: RefusedNodes): Bits {
    const [first] = alternatives;
    if (first === undefined) return nodes;
    const met = emptyBits(this.#run.compiled.nodes.all.length);
    for (const alternative of alternatives) orInto(met, this.#run.compiled.nodes.meetingAll(alternative));
    this.#withLabels(first, minusBits(nodes, met), 'volume', refused);
    return andBits(nodes, met);
  }

  #countTopology(variant: Variant, nodes: Bits, refused: RefusedNodes): void {
    const required = requiredAffinityGroups(variant);
    for (const index of members(nodes)) {
      const group =
        brokenHostRule(variant.host, index)?.group ?? required.find((each) => each.hostCount(index) === 0);
      if (group === undefined) this.#countDomain(variant, index, refused);
      else refused.addOne(`group ${group.id}`, index, () => hostRefusal(this.#run, group));
    }
  }

  #countDomain({ domainRules }: Variant, index: number, refused: RefusedNodes): void {
    const { algebra, nodes } = this.#run.compiled;
    const rule = domainRules.find(
      (candidate) => !nodeAllows(this.#run, candidate, nodes.value(index, candidate.group.spec.key)),
    );
    if (rule === undefined) return;
    const { key } = rule.group.spec;
    const value = nodes.value(index, key);
    refused.addOne(`group ${rule.group.id}/${value}`, index, () => {
      const domain =
        value < 0
          ? algebra.nothing(key)
          : algebra.label(algebra.labels.keyName(key), algebra.labels.valueName(key, value));
      return topologyRefusal(this.#run, rule.group, rule.podDomains, domain);
    });
  }
}

// ---------------------------------------------------------------------------------------------------------------

type Source = 'pod' | 'volume';

interface Obstacle {
  readonly key: string;
  readonly nodes: Bits;
  readonly build: () => Refusal;
}

interface LabelObstacle {
  readonly key: string;
  readonly refusal: Refusal;
}

/** Of the node with the most that is free. */
function lackRefusal(run: Run, podClass: PodClass, nodes: Bits, slot: number): Refusal {
  const { resources, nodes: table, volumes } = run.compiled;
  const freeOn = (index: number) => table.all[index]!.free[slot] ?? 0;
  const node = table.all[members(nodes).reduce((best, each) => (freeOn(each) > freeOn(best) ? each : best))]!;
  const free = freeOn(node.index);
  const name = resources.name(slot);
  const requested = amountOf(podClass.requests, slot);
  if (name.startsWith(ATTACHMENT_PREFIX)) {
    const driver = name.slice(ATTACHMENT_PREFIX.length);
    const wanted = requested + podClass.volumes.shared.filter((volume) => volume.slot === slot).length;
    const limit = volumes.nodeLimit(node.name, driver, node.attachmentLimits);
    return { code: 'VolumeLimit', driver, limit, used: limit - free, wanted };
  }
  return {
    code: 'ResourceInsufficient',
    resource: name,
    requested: resources.text(slot, requested),
    available: resources.text(slot, free),
    missing: resources.text(slot, Math.max(0, requested) - free),
  };
}

/** The requirement that a node with this value does not meet; -1: it does not have the label. */
function labelRefusal(run: Run, requirement: Requirement, value: number, source: Source): Refusal {
  const { algebra } = run.compiled;
  const key = algebra.labels.keyName(requirement.key);
  const wanted = requirementText(algebra, requirement);
  if (value < 0) return { code: 'LabelUndefined', key, wanted, similar: null };
  const offered = `${key} In [${algebra.labels.valueName(requirement.key, value)}]`;
  return { code: 'RequirementIncompatible', key, wanted, offered, source };
}

function hostRefusal(run: Run, group: TopologyGroup): Refusal {
  return topologyRefusal(run, group, undefined, undefined);
}
