-- How many findings of the environment and tag were gone by the run; null for runs from before it was counted.

alter table posture_stats add column archived_findings bigint;
