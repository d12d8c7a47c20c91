//! What a service's login may do with its tables, which belong to another role.
//!
//! Granted by the owner after the migrations, from each service's declaration. It changes nothing
//! that is as declared, so any number of replicas may do it, at any time.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tracing::info;

/// What a service's login may do with a table. Nothing lets it truncate one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Read it.
    Read,
    /// Read it and add rows: what is written stays as it is.
    Append,
    /// Also change these columns of its rows.
    Amend(&'static [&'static str]),
    /// Read its rows and change them, without adding or deleting any.
    Update,
    /// Read it, add rows and delete them, without changing any.
    Replace,
    /// Read its rows and delete them.
    Remove,
    /// Everything that has to do with rows. The rights to every table that is not listed.
    Write,
}

impl Rights {
    /// Privileges on the table, in alphabetical order.
    fn privileges(self) -> &'static [&'static str] {
        match self {
            Self::Read => &["SELECT"],
            Self::Append | Self::Amend(_) => &["INSERT", "SELECT"],
            Self::Update => &["SELECT", "UPDATE"],
            Self::Replace => &["DELETE", "INSERT", "SELECT"],
            Self::Remove => &["DELETE", "SELECT"],
            Self::Write => &["DELETE", "INSERT", "SELECT", "UPDATE"],
        }
    }

    /// Columns that may be changed although the table may not.
    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Amend(columns) => columns,
            _ => &[],
        }
    }
}

/// The rights to tables, by name.
pub type TableRights = [(&'static str, Rights)];

/// The rights to kit's own tables, and to those that count migrations. Parts of the outbox need
/// none: their rows are reached through it. They are made and dropped by functions of the owner.
pub const KIT_RIGHTS: &TableRights = &[
    ("_kit_migrations", Rights::Read),
    ("_sqlx_migrations", Rights::Read),
    ("outbox", Rights::Append),
    ("outbox_other", Rights::Remove),
    ("outbox_position", Rights::Update),
];

/// A table, view or sequence of the owner, and what the login may do with it.
struct Relation {
    name: String,
    quoted: String,
    kind: String,
    privileges: Vec<String>,
    columns: Vec<String>,
}

impl Relation {
    fn rights(&self, rights: &TableRights) -> Rights {
        let listed = KIT_RIGHTS
            .iter()
            .chain(rights)
            .find(|(name, _)| *name == self.name);
        match listed {
            Some((_, rights)) => *rights,
            None if self.kind == "v" => Rights::Read,
            None => Rights::Write,
        }
    }

    /// The statements that give `role` the declared rights; none if it has exactly these.
    fn statements(&self, role: &str, rights: &TableRights) -> Option<String> {
        let Self { quoted, .. } = self;
        if self.kind == "S" {
            let is_granted = self.privileges == ["SELECT", "USAGE"];
            return (!is_granted).then(|| {
                format!(
                    "REVOKE ALL ON SEQUENCE {quoted} FROM {role}; GRANT SELECT, USAGE ON SEQUENCE {quoted} TO {role};"
                )
            });
        }
        let rights = self.rights(rights);
        let mut columns = rights.columns().to_vec();
        columns.sort_unstable();
        if self.privileges == rights.privileges() && self.columns == columns {
            return None;
        }
        let amended = match columns.as_slice() {
            [] => String::new(),
            columns => format!(", UPDATE ({})", columns.join(", ")),
        };
        let wanted = format!("{}{amended}", rights.privileges().join(", "));
        Some(format!(
            "REVOKE ALL ON TABLE {quoted} FROM {role}; GRANT {wanted} ON TABLE {quoted} TO {role};"
        ))
    }
}

/// Gives the login `role` the declared rights to everything that the current role owns in the
/// schema, and no others.
pub(super) async fn grant(
    connection: &mut PgConnection,
    role: &str,
    rights: &TableRights,
) -> Result<(), sqlx::Error> {
    let mut tx = connection.begin().await?;
    let quoted = sqlx::query_scalar!(r#"SELECT quote_ident($1) AS "quoted!""#, role)
        .fetch_one(&mut *tx)
        .await?;
    let mut statements = Vec::new();
    if !may_use_schema(&mut tx, role).await? {
        statements.push(format!("GRANT USAGE ON SCHEMA public TO {quoted};"));
    }
    let relations = relations(&mut tx, role).await?;
    statements.extend(
        relations
            .iter()
            .filter_map(|relation| relation.statements(&quoted, rights)),
    );
    for function in functions_not_granted(&mut tx, role).await? {
        statements.push(format!("GRANT EXECUTE ON FUNCTION {function} TO {quoted};"));
    }
    if statements.is_empty() {
        return tx.rollback().await;
    }
    // Names are quoted by PostgreSQL, and columns are constants of the program.
    sqlx::raw_sql(AssertSqlSafe(statements.concat()))
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    info!(role, "rights to tables granted");
    Ok(())
}

async fn may_use_schema(tx: &mut PgConnection, role: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT has_schema_privilege($1::text, 'public', 'USAGE') AS "may!""#,
        role
    )
    .fetch_one(tx)
    .await
}

/// What the current role owns, with the privileges that were granted to `role` itself.
async fn relations(tx: &mut PgConnection, role: &str) -> Result<Vec<Relation>, sqlx::Error> {
    sqlx::query_as!(
        Relation,
        r#"SELECT c.relname::text AS "name!", quote_ident(c.relname) AS "quoted!", c.relkind::text AS "kind!",
             ARRAY(SELECT p.privilege_type FROM aclexplode(c.relacl) AS p
                   WHERE p.grantee = r.oid ORDER BY p.privilege_type) AS "privileges!",
             ARRAY(SELECT a.attname::text FROM pg_attribute AS a, aclexplode(a.attacl) AS p
                   WHERE a.attrelid = c.oid AND p.grantee = r.oid AND p.privilege_type = 'UPDATE'
                   ORDER BY a.attname::text COLLATE "C") AS "columns!"
         FROM pg_roles AS r, pg_class AS c
         WHERE r.rolname = $1::text AND c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S')
           AND pg_get_userbyid(c.relowner) = current_user AND (NOT c.relispartition OR c.relname = 'outbox_other')
         ORDER BY c.relname"#,
        role
    )
    .fetch_all(tx)
    .await
}

/// Functions that run with the owner's rights and that `role` may not call.
async fn functions_not_granted(
    tx: &mut PgConnection,
    role: &str,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT oid::regprocedure::text AS "function!" FROM pg_proc
         WHERE pronamespace = 'public'::regnamespace AND prosecdef AND pg_get_userbyid(proowner) = current_user
           AND NOT has_function_privilege($1::text, oid, 'EXECUTE')
         ORDER BY 1"#,
        role
    )
    .fetch_all(tx)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(kind: &str, privileges: &[&str], columns: &[&str]) -> Relation {
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        Relation {
            name: "books".to_owned(),
            quoted: "books".to_owned(),
            kind: kind.to_owned(),
            privileges: texts(privileges),
            columns: texts(columns),
        }
    }

    #[test]
    fn what_is_as_declared_is_left_alone() {
        let append: &TableRights = &[("books", Rights::Append)];
        let amend: &TableRights = &[("books", Rights::Amend(&["state", "decided_at"]))];
        for (relation, rights) in [
            (relation("r", &["INSERT", "SELECT"], &[]), append),
            (
                relation("r", &["INSERT", "SELECT"], &["decided_at", "state"]),
                amend,
            ),
            (
                relation("r", &["DELETE", "INSERT", "SELECT", "UPDATE"], &[]),
                &[],
            ),
            (relation("v", &["SELECT"], &[]), &[]),
            (relation("S", &["SELECT", "USAGE"], &[]), &[]),
        ] {
            assert_eq!(relation.statements("wallet", rights), None);
        }
    }

    #[test]
    fn everything_else_is_replaced() {
        let append: &TableRights = &[("books", Rights::Append)];
        let amend: &TableRights = &[("books", Rights::Amend(&["state"]))];
        let replaced = |rights: &str| {
            format!(
                "REVOKE ALL ON TABLE books FROM wallet; GRANT {rights} ON TABLE books TO wallet;"
            )
        };
        for (relation, rights, wanted) in [
            (relation("r", &[], &[]), append, "INSERT, SELECT"),
            (
                relation("r", &["INSERT", "SELECT", "UPDATE"], &[]),
                append,
                "INSERT, SELECT",
            ),
            (
                relation("r", &["INSERT", "SELECT"], &["state"]),
                append,
                "INSERT, SELECT",
            ),
            (
                relation("r", &["INSERT", "SELECT"], &[]),
                amend,
                "INSERT, SELECT, UPDATE (state)",
            ),
            (relation("v", &[], &[]), &[], "SELECT"),
        ] {
            let statements = relation.statements("wallet", rights);
            assert_eq!(statements.as_deref(), Some(replaced(wanted).as_str()));
        }
    }
}
