/** The Entra application of all AKS API servers: what a token for a cluster is asked for, in every cloud. */
export const AKS_SERVER_APP_ID = '6dae42f8-4368-4678-94ff-3960e28e3630';
