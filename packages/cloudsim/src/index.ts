/** Simulated clouds. Each has an entry point of its own (`@chandler/cloudsim/azure`); here is what they share. */
export type { NodeHost, NodeRegistration } from './node-host.ts';
