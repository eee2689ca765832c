-- Numbers, or beginnings of numbers, whose codes the pumping guard of a client lets pass (D33).
alter table client add column pumping_allowlist text[];
