// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/holderstext.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstHoldersText final : public QObject
{
    Q_OBJECT
private slots:
    void leftovers_areNamedWithFiguresAndReason();
    void family_itsHeadFirst();
    void narrowed_othersAreLeftOut();
    void unknownHolding_isSaid();
    void missingProcesses_areSaid();

private:
    /// A leftover engine, its worker, and somebody else's notebook.
    void fill()
    {
        m_snapshot.host = u"gpu3"_s;
        QList<Process> processes;
        QList<ProcessVerdict> verdicts;
        for (const auto &[pid, role, verdict, family] :
             {std::tuple(40, u"vllm.engine"_s, Verdict::Leftover, u"40-7"_s), std::tuple(42, u"vllm.worker"_s, Verdict::Leftover, u"40-7"_s),
              std::tuple(90, u"python.notebook"_s, Verdict::InUse, u"90-9"_s)}) {
            Process process;
            process.pid = Pid{pid};
            process.command = role;
            process.gpuMemory = {ProcessGpuMemory{0, {}, 96615}};
            processes += process;
            ProcessVerdict judged;
            judged.pid = process.pid;
            judged.role = role;
            judged.verdict = verdict;
            judged.family = family;
            judged.evidence = {u"Why %1 is what it is."_s.arg(pid)};
            judged.action = verdict == Verdict::Leftover ? ProposedAction::Terminate : ProposedAction::AskOwner;
            verdicts += judged;
        }
        m_snapshot.processes = processes;
        m_diagnosis.processes = verdicts;
        Family left;
        left.id = u"40-7"_s;
        left.head = Pid{40};
        left.verdict = Verdict::Leftover;
        left.story = {StoryLine{{}, u"Nobody saw it end."_s}};
        Family used;
        used.id = u"90-9"_s;
        used.verdict = Verdict::InUse;
        m_diagnosis.families = {left, used};
        m_diagnosis.host.state = HostState::Leftover;
        m_diagnosis.host.text = u"188.7 GiB is held."_s;
        m_diagnosis.host.heldMib = 193230;
        m_diagnosis.host.reclaimableMib = 193230;
    }
    [[nodiscard]] QString text(bool narrowed = false) const { return holdersText(m_snapshot, m_diagnosis, narrowed, m_output); }

    Snapshot m_snapshot;
    Diagnosis m_diagnosis;
    const Output m_output{ColorMode::Never};
};

void TstHoldersText::leftovers_areNamedWithFiguresAndReason()
{
    fill();
    const QString all = text();
    QVERIFY2(all.contains(u"LEFTOVER: 188.7 GiB is held.\nHeld: 193230 MiB. The default plan of reclaim would free 193230 MiB.\n"_s), qPrintable(all));
    QVERIFY(all.contains(u"in use"_s) && all.contains(u"ask owner"_s)); // words for people, not the contract's
    QVERIFY2(all.contains(u"Family 40-7 (leftover): PID 40, 42\n  Why 40 is what it is.\n  –  Nobody saw it end.\n"_s), qPrintable(all));
    QVERIFY(all.contains(u"Family 90-9 (in use): PID 90\n"_s));
}

void TstHoldersText::family_itsHeadFirst()
{
    fill();
    m_snapshot.processes->swapItemsAt(0, 2);
    m_diagnosis.processes.swapItemsAt(0, 2);
    QVERIFY2(text().contains(u"): PID 40, 42\n"_s), qPrintable(text()));
    m_diagnosis.families.first().head = Pid{42};
    QVERIFY2(text().contains(u"): PID 42, 40\n"_s), qPrintable(text()));
}

void TstHoldersText::narrowed_othersAreLeftOut()
{
    fill();
    m_diagnosis.families.removeLast();
    QVERIFY(text().contains(u"notebook"_s)); // it holds memory, whosever it is
    QVERIFY(!text(true).contains(u"notebook"_s));
    QVERIFY(text(true).contains(u"vllm.engine"_s));
}

void TstHoldersText::unknownHolding_isSaid()
{
    fill();
    m_diagnosis.host.heldMib = Quantity<qint64>::unknown(UnknownReason::NotSupported);
    QVERIFY2(text().contains(u"Held: an unknown amount."_s), qPrintable(text()));
}

void TstHoldersText::missingProcesses_areSaid()
{
    m_snapshot.processes.reset();
    m_diagnosis = {};
    QVERIFY2(text().contains(u"Processes unknown"_s), qPrintable(text()));
    m_snapshot.processes = QList<Process>();
    QVERIFY2(text().contains(u"No process holds GPU memory"_s), qPrintable(text()));
}

PILOTHOUSE_TEST_MAIN(TstHoldersText)
#include "tst_holderstext.moc"
