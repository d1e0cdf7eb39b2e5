/**
 * Entry point of the scheduling module: it takes a snapshot of a cluster and returns a plan with reasons.
 */

export { type PriceBound, priceBound } from './bound/price-bound.ts';
export { applyOverlays, readOverlays } from './catalogue/overlays.ts';
export { readInstanceType } from './catalogue/read-type.ts';
export { readTemplate } from './engine/pools.ts';
export * from './model.ts';
export { inOneUnit } from './one-unit.ts';
export { overlaidTypes } from './overlaid-types.ts';
export * from './plan.ts';
export { podRequests } from './pod-requests.ts';
export { DefaultSpreads } from './pods/default-spread.ts';
export * from './refusal.ts';
export * from './refusal-text.ts';
export { Algebra, byCodeUnit, type Requirement } from './requirements/algebra.ts';
export { anyValue, serializeRequirement } from './requirements/text.ts';
export { type PlaceChanges, withoutPlacesOf, withPlaces } from './reserved-places.ts';
export { addAmounts, CPU, PODS, ResourceProblem, Resources } from './resources.ts';
export { compileSelector } from './selectors.ts';
export * from './solve.ts';
export * from './steps.ts';
export { taintText, toleratesTaint } from './taints.ts';
export { usageAfter, usageDuring } from './usage-after.ts';
export * from './volumes/claim-problem.ts';
export { defaultStorageClass } from './volumes/default-class.ts';
export { warmUp } from './warm-up.ts';
