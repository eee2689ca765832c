-- Rises with every change of routes, carriers, prices and policies, so that a claim by outdated routes is noticed.
alter table service add column routing_revision bigint not null default 0;
