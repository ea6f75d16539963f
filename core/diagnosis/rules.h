// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The classifier as data (resources/rules/roles.txt and modifiers.txt). Plain values, any thread.

#include "core/base/result.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/invocation.h"

#include <QByteArrayView>
#include <QHash>
#include <QRegularExpression>

namespace pilothouse {

enum class RoleClass {
    System,         ///< never touched
    Infrastructure, ///< never touched
    Mps,
    Helper,         ///< of a family; uses no GPU
    Worker,         ///< of an engine
    Engine,
    Frontend,       ///< of an engine, ends with it
    Server,         ///< head of an engine's family
    RayWorker,
    Runtime,        ///< Ray's own
    Mpi,
    Training,
    Notebook,
    App,
    Importer,
    Spawned,        ///< a Python child without a name: its family says what it is
    Vm,
    Other,
};

struct RoleRule
{
    enum class Match { Title, Program, Module, Code, Comm, Path };
    QString id;   ///< "R5"
    QString role; ///< "vllm.worker"
    RoleClass roleClass = RoleClass::Other;
    Match match = Match::Program;
    QString text;
    QStringList words;        ///< of a Program or Module match
    bool open = false;        ///< its last word is a beginning
    QRegularExpression title; ///< of a Title match

    /// "vllm" of "vllm.worker": families do not mix these.
    [[nodiscard]] QString engine() const { return role.section(u'.', 0, 0); }
};

struct Modifier
{
    enum class Effect { Decides, Proves, Confirm, Process, Note };
    QString name;
    Effect effect = Effect::Note;
    Verdict verdict = Verdict::Unknown; ///< of Decides and Process
    QString sentence;
};

class Rules
{
public:
    /// Errors: Internal, with the line that cannot be read.
    [[nodiscard]] static Result<Rules> parse(QByteArrayView roles, QByteArrayView modifiers);
    /// The rules that the program carries.
    [[nodiscard]] static const Rules &builtIn();

    [[nodiscard]] const QList<RoleRule> &roles() const { return m_roles; }
    [[nodiscard]] const QList<Modifier> &modifiers() const { return m_modifiers; }
    /// Null: no rule knows it.
    [[nodiscard]] const RoleRule *roleOf(const Process &process) const;
    /// Null: no such modifier.
    [[nodiscard]] const Modifier *modifier(QStringView name) const;

private:
    QList<RoleRule> m_roles;
    QList<Modifier> m_modifiers;
};

} // namespace pilothouse
