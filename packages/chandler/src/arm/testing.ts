/**
 * The SDKs that production code loads on first use, loaded at once: reading a module takes real time, and a run in virtual
 * time does not wait for it.
 */
import './lazy/arm-authorization.ts';
import './lazy/arm-compute.ts';
import './lazy/arm-containerservice.ts';
import './lazy/arm-keyvault.ts';
import './lazy/arm-network.ts';
import './lazy/arm-resourcegraph.ts';
import './lazy/core-rest-pipeline.ts';
import './lazy/identity.ts';
import './lazy/keyvault-keys.ts';
